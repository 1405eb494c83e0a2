import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Denial } from '../../../../infra/local/iam/access.ts';
import { type LocalStack, startLocalStack } from '../../../../infra/local/local-stack.ts';
import { type Simulator, startSimulator } from '../../../../infra/simulator/simulator.ts';
import { isDeep, tried } from '../../../deep/depth.ts';
import { synthesizeStack } from '../whole-stack/assembly.ts';
import { operatorOf } from '../whole-stack/operator.ts';
import { allowingPlaces, copyWithout, removalOf } from './without-statement.ts';

const KEY = 'key-of-an-organization';
const CONNECTION = 'demo';
/** Longer than an export that goes well, which takes two seconds. */
const EXPORT_MS = 20_000;
/** Runs at once: a run waits and works about as long. */
const RUNS_AT_ONCE = 3;
/** In `npm test` one of so many is taken out, since each takes a run of the whole stack. */
const EVERY_STATEMENT = 12;
const SUITE_TIMEOUT_MS = 180_000;

const folder = mkdtempSync(join(tmpdir(), 'iam-'));
const assembly = join(folder, 'assembly');
const caFile = join(folder, 'ca.pem');
let api: Simulator;
let whole: Run;

interface Run {
  readonly completed: boolean;
  readonly denied: readonly Denial[];
  /** Places of the statements of which nothing was needed. */
  readonly unneeded: ReadonlySet<string>;
}

beforeAll(async () => {
  api = await startSimulator({
    customers: 300,
    organizations: [{ key: KEY }],
    // Throttled pages, so that steps requeue themselves.
    faults: [
      {
        when: { every: 3 },
        fault: { kind: 'status', status: 429, headers: { 'Retry-After': '1' } },
      },
    ],
  });
  writeFileSync(caFile, api.caPem);
  const connections = { [CONNECTION]: { schedule: 'rate(1 minute)' } };
  synthesizeStack({ baseUrl: api.url, connections }, assembly);
  whole = await runExport(assembly, () => false);
}, SUITE_TIMEOUT_MS);

afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** Runs one export that a schedule or a person starts, until its end or until something happened. */
async function runExport(from: string, happened: (stack: LocalStack) => boolean): Promise<Run> {
  const told: Denial[] = [];
  const stack = await startLocalStack({
    assembly: from,
    environment: { NODE_EXTRA_CA_CERTS: caFile },
    onDenied: (denial) => told.push(denial),
  });
  try {
    const operator = operatorOf(stack);
    // The event of the new key runs the sweep.
    operator.storeKey(CONNECTION, KEY);
    const started = operator.start(CONNECTION).catch(() => {});
    const completed = () =>
      stack.events.some(({ event }) => event['detail-type'] === 'Export Completed');
    const endMs = Date.now() + EXPORT_MS;
    while (!completed() && !happened(stack) && Date.now() < endMs) await wait(20);
    if (!happened(stack)) {
      await started;
      await stack.idle();
    }
    const places = Map.groupBy(stack.grants(), ({ place }) => place);
    const unneeded = [...places].filter(([, grants]) => grants.every(({ used }) => !used));
    expect(told).toEqual(stack.denied);
    return {
      completed: completed(),
      denied: told,
      unneeded: new Set(unneeded.map(([place]) => place)),
    };
  } finally {
    await stack.stop();
  }
}

test('an export is refused nothing by the roles that are deployed', () => {
  expect(whole.denied).toEqual([]);
  expect(whole.completed).toBe(true);
});

test(
  'without any single statement that an export needs, something is refused',
  async () => {
    const needed = allowingPlaces(assembly).filter((place) => !whole.unneeded.has(place));
    expect(needed.length).toBeGreaterThan(15);
    const left = needed.filter((_, index) => isDeep || index % EVERY_STATEMENT === 0);
    tried('statements of roles that were taken out', left.length);
    const notRefused: string[] = [];
    const runs = Array.from({ length: RUNS_AT_ONCE }, async () => {
      for (let place = left.pop(); place !== undefined; place = left.pop()) {
        if (!(await isRefusedWithout(place))) notRefused.push(place);
      }
    });
    await Promise.all(runs);
    expect(notRefused).toEqual([]);
  },
  SUITE_TIMEOUT_MS,
);

async function isRefusedWithout(place: string): Promise<boolean> {
  const directory = mkdtempSync(join(folder, 'without-'));
  copyWithout(assembly, removalOf(place), directory);
  try {
    const { denied } = await runExport(directory, (stack) => stack.denied.length > 0);
    return denied.length > 0;
  } catch (error) {
    // What AWS refuses already when the stack is deployed.
    return String(error).includes('is not authorized to perform');
  }
}
