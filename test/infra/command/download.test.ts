import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { OutputStream } from '../../../infra/command/surroundings.ts';
import { EXPORT_ID, type SampleIntegration, startSampleIntegration } from './sample-integration.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

/** Some pieces of text. */
const LONG_PART = '{"id":1,"name":"a name of some characters"}\n'.repeat(5_000);
const DOWNLOAD = ['download', 'acme', EXPORT_ID];

let integration: SampleIntegration;
let folder: string;
beforeAll(async () => {
  integration = await startSampleIntegration();
});
afterAll(() => integration.stop());
beforeEach(async () => {
  integration.asked.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'customers-here-'));
});
afterEach(() => rm(folder, { recursive: true }));

const askedFor = (path: string) =>
  integration.asked.filter((target) => target.includes(path)).length;
const leftovers = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('customers-download-'));

test.each(['ndjson', 'csv', 'spreadsheet'])(
  'Ctrl-C ends %s while it is written, with 130, and leaves nothing behind',
  async (form) => {
    integration.parts = [LONG_PART, LONG_PART];
    let pieces = 0;
    const write: OutputStream['write'] = () => {
      pieces += 1;
      if (pieces === 2) surroundings.interrupt.abort();
    };
    const surroundings = { ...sampleSurroundings(), stdout: { write } };

    expect(await integration.run([...DOWNLOAD, '--as', form], surroundings)).toMatchObject({
      exitCode: 130,
      stderr: 'Interrupted.\n',
    });
    expect(pieces).toBe(2);
    expect(await leftovers()).toEqual([]);
  },
);

test.each(['EPIPE', 'ENOSPC'])('after %s of stdout nothing more is downloaded', async (code) => {
  integration.parts = [LONG_PART, LONG_PART, LONG_PART];
  let pieces = 0;
  const write: OutputStream['write'] = (_, taken) => {
    pieces += 1;
    taken?.(Object.assign(new Error(code), { code }));
    return false;
  };
  const surroundings = { ...sampleSurroundings(), stdout: { write } };
  expect(await integration.run([...DOWNLOAD, '--as', 'ndjson'], surroundings)).toMatchObject({
    exitCode: 0,
    stderr: `5,000 records of the list customers, export ${EXPORT_ID}.\n`,
  });
  expect(pieces).toBe(1);
  expect(askedFor('/part/')).toBe(1);
  expect(await leftovers()).toEqual([]);

  integration.changesPage = () => ({
    ...{ list: 'customers', status: 'published', counts: null, since: null },
    next: askedFor('/changes') > 2 ? null : 'more',
    changes: [{ change: 'added', id: 1 }],
  });
  await integration.run(['changes', 'acme', EXPORT_ID], surroundings);
  expect(askedFor('/changes')).toBe(1);
});

test('with --json the file of records or changes is the result with its list, and without it nothing is printed', async () => {
  integration.parts = ['{"id":1}\n', '{"id":2}\n'];
  integration.list = 'invoices';
  integration.changesPage = () => ({
    ...{
      list: 'invoices',
      status: 'published',
      counts: { added: 1, changed: 0, removed: 0 },
      next: null,
    },
    ...{ since: { exportId: 'before' }, changes: [] },
  });
  for (const [name, args, about] of [
    ['list.ndjson', [...DOWNLOAD, '--as', 'ndjson'], { records: 2 }],
    ['list.csv', [...DOWNLOAD, '--as', 'csv'], { records: 2 }],
    [
      'changes.ndjson',
      ['changes', 'acme', EXPORT_ID],
      { status: 'published', counts: { added: 1, changed: 0, removed: 0 }, since: 'before' },
    ],
  ] as const) {
    const file = join(folder, name);
    const { stdout } = await integration.run([...args, '--out', file, '--json']);
    const taken = { list: 'invoices', exportId: EXPORT_ID };
    expect(JSON.parse(stdout || '{}')).toEqual({ file, ...taken, ...about });
    expect((await integration.run([...args, '--out', file])).stdout).toBe('');
  }
});
