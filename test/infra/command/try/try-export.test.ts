import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { systemClock } from '../../../../functions/aws/clock-and-random.ts';
import { connectionSettingsOf } from '../../../../functions/services/connection-settings.ts';
import { type TriedExport, tryExport } from '../../../../infra/command/try/try-export.ts';
import { fileOf } from '../../../../infra/command-line/out-folder.ts';
import type { SimulatorOptions } from '../../../../infra/simulator/options.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import { exportPrefix, isPartObject } from '../../../../lib/exports/store-objects.ts';
import { ApiKey } from '../../../../lib/key/api-key.ts';
import { startTrustedSimulator } from '../../../trusted-simulator.ts';

const KEY = 'cAnArY-of-try-export';
const HOUR_MS = 3_600_000;

/** The parts in the folder of the export that was tried last. */
let parts: readonly string[];

async function tried(
  options: Pick<SimulatorOptions, 'customers' | 'limit'>,
  given: Partial<TriedExport>,
): Promise<ExportState> {
  const simulator = await startTrustedSimulator({ organizations: [{ key: KEY }], ...options });
  const folder = await mkdtemp(join(tmpdir(), 'customers-try-export-'));
  try {
    const defaults = { baseUrl: simulator.url, lists: { customers: { perPage: 20 } } };
    const state = await tryExport({
      ...{ connection: 'try', list: 'customers', key: ApiKey.from(KEY), folder },
      settings: connectionSettingsOf({ defaults, connections: {} }, 'try'),
      signal: new AbortController().signal,
      onAsked: () => undefined,
      onState: () => undefined,
      onWait: () => undefined,
      ...given,
    });
    const exported = await readdir(fileOf(folder, exportPrefix(state))).catch(() => []);
    parts = exported.filter((name) => isPartObject(name)).sort();
    return state;
  } finally {
    await simulator.close();
    await rm(folder, { recursive: true });
  }
}

test('an export goes on when the clock jumps ahead by an hour, as after the sleep of a notebook', async () => {
  let asked = 0;
  const state = await tried(
    { customers: 200 },
    {
      onAsked: () => void asked++,
      clock: { ...systemClock, now: () => Date.now() + (asked > 3 ? HOUR_MS : 0) },
    },
  );

  expect(state).toMatchObject({ status: 'completed', counters: { customers: 200 } });
  expect(state.completeness?.verdict).toBe('complete');
});

test('a wait of hours is told with its end, not with that of a message in SQS', async () => {
  const interrupt = new AbortController();
  const toldMs: number[] = [];
  const state = await tried(
    { customers: 200, limit: { kind: 'fixed-window', requests: 2, windowSeconds: 7_200 } },
    {
      signal: interrupt.signal,
      onWait: (untilMs) => {
        toldMs.push(untilMs - Date.now());
        interrupt.abort();
      },
    },
  );

  expect(state.status).toBe('cancelled');
  expect(toldMs[0]).toBeGreaterThan(HOUR_MS);
});

test('Ctrl-C while a part is stored leaves the parts that the state counts, and no other', async () => {
  const interrupt = new AbortController();
  let committed = 0;
  const state = await tried(
    { customers: 200, limit: { kind: 'fixed-window', requests: 3, windowSeconds: 1 } },
    {
      signal: interrupt.signal,
      // A throttle ends a step, which then stores what it has.
      onAsked: ({ outcome }) => {
        if (outcome.kind === 'throttled' && committed > 0) interrupt.abort();
      },
      onState: ({ parts: { count } }) => {
        committed = count;
      },
    },
  );

  expect(state).toMatchObject({ status: 'cancelled', parts: { count: 1 } });
  expect(parts).toEqual([
    expect.stringMatching(/^part-00001-.*\.index$/),
    expect.stringMatching(/^part-00001-.*\.ndjson\.gz$/),
  ]);
});
