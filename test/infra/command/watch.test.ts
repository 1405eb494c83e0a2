import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CommandError } from '../../../infra/command/command-error.ts';
import { outputTo } from '../../../infra/command/output.ts';
import type { ShownExport } from '../../../infra/command/stack/shown-export.ts';
import { watched } from '../../../infra/command/watch.ts';
import { EXPORT_ID, SHOWN, startSampleIntegration } from './sample-integration.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

const RUNNING = { ...SHOWN, status: 'running' } satisfies ShownExport;

function watchedOf(looks: readonly (ShownExport | Error)[]) {
  const surroundings = sampleSurroundings({
    stderr: { isTTY: true, columns: 100, write: () => true },
  });
  const call = { ...surroundings, output: outputTo(surroundings, false) };
  let looked = 0;
  const look = async () => {
    const next = looks[Math.min(looked++, looks.length - 1)];
    if (next === undefined || next instanceof Error) throw next;
    return next;
  };
  return { ended: watched(look, 2_000, call), said: surroundings.said, looked: () => looked };
}

test.each([
  ['server-error', 'since the API failed'],
  ['paced', 'to keep the rate'],
  [undefined, 'as the API asked'],
  ['moon', 'for moon'],
])('a wait for %s is shown as one %s', async (waitsFor, words) => {
  const waiting = { ...RUNNING, notBefore: '2026-05-01T00:01:00Z', waitsFor };
  const { ended, said } = watchedOf([waiting, { ...RUNNING, status: 'completed' }]);
  expect(await ended).toMatchObject({ status: 'completed' });
  expect(said.stderr).toContain(`waiting 60 s, ${words}, `);
});

test.each<[string, string, number, string | undefined]>([
  ['has just begun', '2026-04-30T23:59:50Z', 20, '2.0 pages/s'],
  ['has run for hours', '2026-04-30T22:00:00Z', 7_200, '1.0 pages/s'],
  ['begins with a wait', '2026-04-30T23:59:59Z', 0, undefined],
])(
  'the first look at an export that %s knows its rate, or says none',
  async (_, startedAt, pages, rate) => {
    const progress = { ...RUNNING.progress, pages };
    const { ended, said } = watchedOf([
      { ...RUNNING, startedAt, progress },
      { ...RUNNING, status: 'completed' },
    ]);
    await ended;
    expect(/[\d.]+ pages\/s/.exec(said.stderr)?.[0]).toBe(rate);
  },
);

test('a network that is away for a minute does not end watching; for longer it does', async () => {
  const away = new CommandError('No answer.', { isPassing: true });
  const minute = Array<Error>(30).fill(away);
  const back = watchedOf([RUNNING, ...minute, { ...RUNNING, status: 'failed' }]);
  expect(await back.ended).toMatchObject({ status: 'failed' });
  expect(back.said.stderr).toContain('no answer of the integration');

  await expect(watchedOf([RUNNING, away]).ended).rejects.toBe(away);
  const refused = watchedOf([new CommandError('Refused.')]);
  await expect(refused.ended).rejects.toThrow('Refused.');
  expect(refused.looked()).toBe(1);
});

test.each([
  ['Ctrl-C while it is looked at', 130, (interrupt: AbortController) => void interrupt.abort()],
  ['a look that fails for good', 1, () => undefined],
])('the report is there after %s', async (_, exitCode, meanwhile) => {
  const integration = await startSampleIntegration();
  const folder = await mkdtemp(join(tmpdir(), 'customers-watch-'));
  try {
    const surroundings = sampleSurroundings();
    integration.shown = () => {
      if (integration.asked.length === 1) return RUNNING;
      meanwhile(surroundings.interrupt);
      return {};
    };
    const report = join(folder, 'report.html');
    const watch = ['watch', 'acme', EXPORT_ID, '--report', report];
    expect(await integration.run(watch, surroundings)).toMatchObject({ exitCode });
    expect(await readFile(report, 'utf8')).toContain(EXPORT_ID);
  } finally {
    integration.stop();
    await rm(folder, { recursive: true });
  }
});
