import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import { checkLog } from '../../../../infra/simulator/check-log.ts';
import type { SimulatorOptions } from '../../../../infra/simulator/options.ts';
import { type Simulator, startSimulator } from '../../../../infra/simulator/simulator.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import { MAX_PAGES_IN_FLIGHT } from '../../../../lib/exports/pages-in-flight.ts';
import { amountOf, expectMet, isDeep, seedsOf, tried, trySeed } from '../../../deep/depth.ts';
import { startCheckedStack } from '../checked-stack.ts';
import { copyWithoutMapping, shortenWaits, synthesizeStack } from './assembly.ts';
import { chaosPlan, runDamaged } from './chaos.ts';
import { exportMoving, movingConnections, startMovingApi } from './moving-lists.ts';
import { type Operator, operatorOf } from './operator.ts';
import { readStored } from './stored-export.ts';
import { filesIn, placesWithKey } from './traces.ts';

// In `npm test` workers are killed at every call, without processes: `test/faults/crash-points.test.ts`.
const testDeep = isDeep ? test : test.skip;
const SEEDS = seedsOf({ short: 1, deep: 12 });
const MOVING_SEEDS = seedsOf({ short: 1, deep: 20 });
/** Most of their time is waiting. */
const SEEDS_AT_ONCE = 3;
/** Small pages of a short list take as many requests, and less of everything else. */
const PER_PAGE = amountOf({ short: 25, deep: 100 });
const PAGES = amountOf({ short: 30, deep: 60 });
const CUSTOMERS = PAGES * PER_PAGE;
/** Of the list that is read by large pages. */
const LARGE_PAGE = (PAGES / 10) * PER_PAGE;
const HAND_CUSTOMERS = 10 * PER_PAGE;
const STEP_SECONDS = 4;
const SUITE_TIMEOUT_MS = isDeep ? 1_800_000 : 240_000;

/** Every character that some encoding changes, and long enough to be looked for in all forms. */
const keyOf = (name: string) => `key"of/${name}+&<\\=%41~${name.repeat(4)}`;
const WRONG_KEY = keyOf('wrong');
const FIRST_KEY = keyOf('first');
const SECOND_KEY = keyOf('second');
const STEADY_KEY = keyOf('steady');
const HAND_KEY = keyOf('hand');
const KEYS = [
  WRONG_KEY,
  FIRST_KEY,
  SECOND_KEY,
  STEADY_KEY,
  HAND_KEY,
  ...SEEDS.map((seed) => keyOf(`${seed}`)),
  ...MOVING_SEEDS.map((seed) => keyOf(`moving-${seed}`)),
];

const folder = mkdtempSync(join(tmpdir(), 'whole-stack-'));
const assembly = join(folder, 'assembly');
const unfedAssembly = join(folder, 'unfed');
const caFile = join(folder, 'ca.pem');
const simulators: Simulator[] = [];
const stacks: LocalStack[] = [];
const lines: string[] = [];
/** Every message of one export, as the queue gives it. */
const messages: string[] = [];

let damagedApi: Simulator;
let keyApi: Simulator;
let steadyApi: Simulator;
let damaged: Map<number, ReturnType<typeof exportDamaged>>;
let operator: Operator;
const movingApis = new Map<number, Simulator>();
const verdicts = { complete: 0, drifted: 0, unproven: 0 };

beforeAll(async () => {
  damagedApi = await startApi({
    customers: CUSTOMERS,
    // No pace prevents these, so there are waits to the end.
    faults: [
      {
        when: { every: 5 },
        fault: { kind: 'status', status: 429, headers: { 'Retry-After': '1' } },
      },
    ],
    organizations: [
      ...SEEDS.map((seed) => ({ key: keyOf(`${seed}`), name: `Seed ${seed}` })),
      { key: HAND_KEY, name: 'By hand', customers: HAND_CUSTOMERS },
    ],
  });
  keyApi = await startApi({
    customers: CUSTOMERS,
    latencyMs: 10,
    organizations: [{ key: FIRST_KEY }, { key: SECOND_KEY }],
    // The key is revoked in the middle of the export.
    onLogged: ({ n }) => {
      if (n === PAGES / 2) keyApi.setKeyStatus(FIRST_KEY, 'revoked');
    },
  });
  steadyApi = await startApi({
    customers: CUSTOMERS,
    maxPerPage: LARGE_PAGE,
    organizations: [{ key: STEADY_KEY }],
    faults: [
      {
        when: { every: 3 },
        fault: { kind: 'status', status: 429, headers: { 'Retry-After': '1' } },
      },
    ],
  });
  for (const seed of MOVING_SEEDS) {
    const api = await startMovingApi(seed, keyOf(`moving-${seed}`));
    movingApis.set(seed, api);
    simulators.push(api);
  }
  writeFileSync(caFile, simulators.map(({ caPem }) => caPem).join(''));

  synthesizeStack(
    {
      connections: {
        // One request at a time makes the log exact: nothing is sent before the last answer was read.
        // At a pace that is set: one that is learned while workers are killed may be as slow as it is careful.
        damaged: {
          ...{ baseUrl: damagedApi.url, perPage: PER_PAGE },
          ...{ pagesInFlight: 1, requestsPerSecond: 50 },
        },
        // Its pages are counted by their numbers.
        rejected: { baseUrl: keyApi.url, perPage: PER_PAGE, walk: 'fast' },
        ...movingConnections(MOVING_SEEDS),
        steady: { baseUrl: steadyApi.url, perPage: LARGE_PAGE, pagesInFlight: 1 },
      },
    },
    assembly,
  );
  shortenWaits(assembly, STEP_SECONDS);
  copyWithoutMapping(assembly, unfedAssembly);

  damaged = new Map();
  for (const [index, seed] of (isDeep ? SEEDS : []).entries()) {
    const before = damaged.get(SEEDS[index - SEEDS_AT_ONCE] ?? -1);
    const run = Promise.allSettled([before]).then(() => exportDamaged(seed));
    run.catch(() => {});
    damaged.set(seed, run);
  }
  operator = operatorOf(await startStack(assembly));
}, SUITE_TIMEOUT_MS);

afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.stop()));
  await Promise.all(simulators.map((simulator) => simulator.close()));
  rmSync(folder, { recursive: true });
});

async function startApi(options: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options);
  simulators.push(simulator);
  return simulator;
}

async function startStack(from: string): Promise<LocalStack> {
  const stack = await startCheckedStack({
    assembly: from,
    environment: { NODE_EXTRA_CA_CERTS: caFile },
    schedules: false,
    onLog: ({ line }) => lines.push(line),
  });
  stacks.push(stack);
  return stack;
}

async function exportDamaged(seed: number) {
  const own = operatorOf(await startStack(assembly));
  own.storeKey('damaged', keyOf(`${seed}`));
  const { exportId } = await own.start('damaged');
  const log = () => damagedApi.log.entries.filter(({ keyId }) => keyId === `Seed ${seed}/1`);
  const plan = chaosPlan(seed, PAGES);
  const run = await runDamaged(own, 'damaged', exportId, plan, () => log().length);
  return { ...run, log: log(), stored: await readStored(own, 'damaged', exportId) };
}

test(
  'a wrong key costs one request, and a key revoked in the middle of an export none after it; with a right key the same export goes on where it stopped',
  async () => {
    operator.storeKey('rejected', WRONG_KEY);
    const { exportId } = await operator.start('rejected');
    // A request that a busy machine has cut off, with its worker, has no answer that anybody could know.
    const answered = () => keyApi.log.entries.filter(({ status }) => status !== 'pending');
    const killedBefore = operator.killedInvocations();
    // Halted, and everybody has been told: only then does anyone bring a new key.
    const isHalted = (pages: number) => (state: ExportState) =>
      state.status === 'halted' && state.unannounced.length === 0 && state.counters.pages >= pages;

    const refused = await operator.watch('rejected', exportId, isHalted(0));
    expect(refused.reason?.code).toBe('authentication-failure');
    // A worker that ends before it has said what it was answered is followed by one that asks again.
    const killed = operator.killedInvocations() - killedBefore;
    const rejected = answered().map(({ status }) => status);
    expect({ killed, rejected }).toEqual({
      killed,
      rejected: [401, ...rejected.slice(1, killed + 1)],
    });
    const { requestsAfterAuthenticationFailure, maxConcurrent } = checkLog(keyApi.log.entries);
    expect(requestsAfterAuthenticationFailure.length).toBeLessThanOrEqual(killed);
    expect(maxConcurrent).toBe(1);
    const refusedRequests = keyApi.log.entries.length;
    expect(await operator.start('rejected')).toEqual({ exportId, result: 'halted' });

    // The event of the new version wakes it by itself.
    operator.storeKey('rejected', FIRST_KEY);
    const revoked = await operator.watch('rejected', exportId, isHalted(1));
    const requestsBefore = keyApi.log.entries.length;
    const answeredBefore = answered().length;
    operator.storeKey('rejected', SECOND_KEY);
    const done = await operator.watch('rejected', exportId, ({ status }) => status === 'completed');

    const { manifest, records } = await readStored(operator, 'rejected', exportId);
    expect(records).toEqual(keyApi.customersOf(SECOND_KEY));
    // The rejected one brought no page.
    expect(manifest.keyVersions).toHaveLength(2);
    expect(done.exportId).toBe(exportId);
    const before = keyApi.log.entries.slice(refusedRequests, requestsBefore);
    const after = answered().slice(answeredBefore);
    expect(new Set(before.map(({ keyId }) => keyId))).toEqual(new Set(['Demo Organization/1']));
    // Those that were under way when the key was revoked, and no more.
    expect(before.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(
      MAX_PAGES_IN_FLIGHT,
    );
    expect(new Set(after.map(({ keyId }) => keyId))).toEqual(new Set(['Demo Organization/2']));
    // One request shows that the new key is of the same organization.
    const again = after.filter(({ page = 0 }) => page <= revoked.counters.pages);
    expect(again).toHaveLength(1);
    expect(after[1]?.page).toBe(revoked.counters.pages + 1);
  },
  SUITE_TIMEOUT_MS,
);

// In `npm test` the API of the damaged export throttles every fifth one.
testDeep(
  'an API that throttles every third request for the whole run is exported',
  async () => {
    operator.storeKey('steady', STEADY_KEY);
    const { exportId } = await operator.start('steady');
    const state = await operator.watch('steady', exportId, ({ status }) => status !== 'running');

    expect(state).toMatchObject({ status: 'completed', completeness: { verdict: 'complete' } });
    expect(state.counters.throttles).toBeGreaterThanOrEqual(4);
    const { records } = await readStored(operator, 'steady', exportId);
    expect(records).toEqual(steadyApi.customersOf(STEADY_KEY));
    expect(checkLog(steadyApi.log.entries).earlyRequests).toEqual([]);
  },
  SUITE_TIMEOUT_MS,
);

test.each(MOVING_SEEDS)(
  'a list that moves while it is read misses nothing and has nothing twice when it is called complete (seed %i)',
  async (seed) => {
    await trySeed(seed, async () => {
      const [api, key] = [movingApis.get(seed), keyOf(`moving-${seed}`)];
      if (api === undefined) throw new Error('no API');
      const run = await exportMoving(operator, { seed, api, key });

      const { state, verdict = 'unproven', missing, twice, invented, earlyRequests } = run;
      if (verdict === 'complete') expect(missing).toEqual([]);
      expect({ twice, invented, earlyRequests }).toEqual({
        twice: [],
        invented: [],
        earlyRequests: [],
      });
      expect(state.counters.throttles).toBeGreaterThanOrEqual(1);
      expect(api.changesOf(key).length).toBeGreaterThanOrEqual(15);
      verdicts[verdict] += 1;
      tried(`exports of moving lists: ${verdict}`, 1);
      if (missing.length > 0) tried(`exports of moving lists with a record missing: ${verdict}`, 1);
      tried('changes while they were read', api.changesOf(key).length);
    });
  },
  SUITE_TIMEOUT_MS,
);

test('lists that move are proven complete, where their API lets that be shown', () => {
  expectMet({ 'complete exports': verdicts.complete }, { short: 1, deep: 8 });
});

testDeep.each(SEEDS)(
  'killed workers, doubled wake-ups and a lost one leave an export exact (seed %i)',
  async (seed) => {
    await trySeed(seed, async () => {
      const { state, damage, log, stored } = (await damaged.get(seed)) ?? {};

      expect(state).toMatchObject({ status: 'completed', completeness: { verdict: 'complete' } });
      expect(damage?.kills).toBeGreaterThanOrEqual(3);
      expect(damage?.losses).toBe(1);
      expect(damage?.duplicates).toBeGreaterThanOrEqual(5);
      tried('whole stacks in chaos', 1);
      tried('killed workers', damage?.kills ?? 0);
      tried('doubled and lost wake-ups', (damage?.duplicates ?? 0) + (damage?.losses ?? 0));
      expect(stored?.records).toEqual(damagedApi.customersOf(keyOf(`${seed}`)));
      expect(stored?.sha256).toEqual(stored?.manifest.parts.map(({ sha256 }) => sha256));
      const check = checkLog(log ?? []);
      expect(check.earlyRequests).toEqual([]);
      expect(check.throttled).toBeGreaterThanOrEqual(3);
    });
  },
  SUITE_TIMEOUT_MS,
);

test(
  'a wake-up points to a step and carries nothing else',
  async () => {
    const own = operatorOf(await startStack(unfedAssembly));
    own.storeKey('damaged', HAND_KEY);
    const { exportId } = await own.start('damaged');

    await own.watch('damaged', exportId, async ({ status }) => {
      if (status !== 'running') return true;
      const message = await own.takeMessage();
      if (message === undefined) return false;
      messages.push(JSON.stringify(message));
      await own.feedWorker(message.Body ?? '');
      return false;
    });

    expect((await own.manifest('damaged', exportId)).totals.customers).toBe(HAND_CUSTOMERS);
    const bodies = messages.map((text) => JSON.parse(JSON.parse(text).Body));
    expect(bodies.length).toBeGreaterThanOrEqual(2);
    expect(bodies).toEqual(
      bodies.map((_, step) => ({ v: 1, connection: 'damaged', exportId, step })),
    );
  },
  SUITE_TIMEOUT_MS,
);

test(
  'nothing of a key is in a log line, ledger item, object, event, message or file of the assembly',
  async () => {
    await Promise.allSettled(damaged.values());
    const operators = stacks.map((each) => operatorOf(each));
    const ledgers = await Promise.all(operators.map(({ ledgerItems }) => ledgerItems()));
    const objects = await Promise.all(operators.map(({ objects }) => objects()));
    const events = stacks.map(({ events }) => JSON.stringify(events));
    // The code of the functions is there before the keys are; `npm run test:deep` searches it too.
    const named = (name: string, texts: readonly string[]) =>
      texts.map((text, index) => [`${name} ${index}`, text] as const);

    const places = [
      ...named('log line', lines),
      ...named('message', messages),
      ...named('ledger', ledgers),
      ...named('events', events),
      ...objects.flat(),
      ...filesIn(folder).filter(([name]) => isDeep || !name.endsWith('.mjs')),
    ];

    expect(lines.length).toBeGreaterThan(amountOf({ short: 15, deep: 50 }));
    expect(objects.flat().length).toBeGreaterThan(amountOf({ short: 10, deep: 20 }));
    expect(events.every((text) => text.includes('Export Completed'))).toBe(true);
    expect(placesWithKey(KEYS, places)).toEqual([]);
    expect(placesWithKey(KEYS, [['planted', Buffer.from(FIRST_KEY).toString('base64')]])).toEqual([
      'planted',
    ]);
  },
  SUITE_TIMEOUT_MS,
);
