import { expect, test } from '@jest/globals';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import { isDeep } from '../deep/depth.ts';
import { checkCopy, checkOver, checkRequests, storedRecords } from './checks.ts';
import { type Behaviour, pageOf, pageWith, recordOf, throttled, tokenBucket } from './model-api.ts';
import { EXPORT_ID, isOver, runExport, startIn } from './run-export.ts';
import { CONNECTION, World } from './world.ts';

test('completes over more than 100 hops when every third request is throttled', async () => {
  const world = await runExport({
    customers: 2_100,
    behaviour: ({ before }) => (before % 3 === 2 ? throttled(2) : undefined),
    // Learning from each throttle takes most of the time; test/lib/pace does that too.
    settings: { pagesInFlight: 1, ...(isDeep ? {} : { requestsPerSecond: 100 }) },
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  expect(state?.step).toBeGreaterThan(100);
  expect(state?.counters).toMatchObject({ throttles: 104, waitedSeconds: 208, requests: 314 });
});

const STRAY: ListOutcome = { kind: 'refused', reason: 'not-json', message: 'HTML.', status: 200 };

test('completes though stray answers that are no list come between its pages', async () => {
  const world = await runExport({
    customers: 1_000,
    behaviour: ({ before }) => (before % 4 === 3 ? STRAY : undefined),
    settings: { pagesInFlight: 1, maxFailuresInRow: 1 },
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
});

test('ends as refused when nothing but stray answers comes from some page on', async () => {
  const world = await runExport({
    customers: 1_000,
    behaviour: ({ before }) => (before >= 3 ? STRAY : undefined),
    settings: { pagesInFlight: 1 },
  });
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  expect(state).toMatchObject({
    status: 'failed',
    counters: { requests: 14 },
    reason: {
      code: 'refused',
      message:
        '11 failures in a row, more than maxFailuresInRow (10), after 3 pages. The latest: HTML.',
    },
  });
});

test.each([1, 2])(
  'asks again only for what was throttled, for %i s, when the next step runs in the same process',
  async (seconds) => {
    const requestsOf = async (behaviour: Behaviour) => {
      const world = await runExport({
        customers: 1_000,
        walk: 'verified',
        behaviour,
        settings: { pagesInFlight: 8 },
      });
      checkOver(world, EXPORT_ID);
      checkCopy(world, EXPORT_ID);
      checkRequests(world);
      return world.ledger.readExport(CONNECTION, EXPORT_ID);
    };
    const throttledRuns = ({ before }: { readonly before: number }) =>
      before % 9 === 8 ? throttled(seconds) : undefined;
    const undisturbed = await requestsOf(() => undefined);
    const state = await requestsOf(throttledRuns);
    const { requests = 0, throttles = 0 } = state?.counters ?? {};
    expect(throttles).toBeGreaterThan(10);
    expect(state?.step).toBeGreaterThan(5);
    expect(requests - throttles).toBe(undisturbed?.counters.requests);
  },
);

test('of a fast walk asks again for little of what came behind a throttled page', async () => {
  const world = await runExport({
    customers: 2_000,
    behaviour: ({ before }) => (before % 19 === 18 ? throttled(1) : undefined),
    settings: { pagesInFlight: 16 },
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  const { requests = 0, throttles = 0 } =
    world.ledger.readExport(CONNECTION, EXPORT_ID)?.counters ?? {};
  expect(throttles).toBeGreaterThan(10);
  // Of 200 pages; 15 and more are under way when a throttle comes.
  expect(requests - throttles).toBeLessThan(240);
});

test('a fast walk misses no record that was there all the time when others are added in front while it waits', async () => {
  const first = Array.from({ length: 1_000 }, (_, index) => recordOf(index));
  let rows = [...first].reverse();
  const world = await runExport({
    behaviour: ({ before, page, perPage }) => {
      if (before % 9 === 8) {
        rows = [recordOf(rows.length), ...rows];
        return throttled(1);
      }
      const meta = { total: rows.length, total_pages: Math.ceil(rows.length / perPage) };
      return pageWith(rows.slice((page - 1) * perPage, page * perPage), page, meta);
    },
    settings: { pagesInFlight: 8 },
  });
  checkOver(world, EXPORT_ID);
  checkRequests(world);
  const stored = new Set(storedRecords(world, EXPORT_ID));
  expect(first.filter((record) => !stored.has(record))).toEqual([]);
});

test('waits 1,200 s in hops of 900 s at most, without a request before the end', async () => {
  const world = await runExport({
    behaviour: ({ before }) => (before === 3 ? throttled(1_200) : undefined),
    settings: { pagesInFlight: 1 },
  });
  checkOver(world, EXPORT_ID);
  checkRequests(world);
  expect(world.delays.slice(0, 3)).toEqual([0, 900, 300]);
  const refused = world.requests[3]?.answeredAtMs ?? 0;
  const next = world.requests[4]?.atMs ?? 0;
  expect(next - refused).toBeGreaterThanOrEqual(1_200_000);
  expect(next - refused).toBeLessThan(1_202_000);
});

/** The page as it is, and a wait with it. */
function pageWithWait(page: number, retryAfterSeconds: number): ListOutcome {
  return { ...pageOf(200, page, 10), retryAfterSeconds, waitAsSent: 'Retry-After' };
}

test.each([
  // Idle in the step: a step for each page would store a part for each page.
  [1, 1],
  [10, 1],
  // Through the queue.
  [11, 20],
  [1_200, 20],
])(
  'keeps every page that comes with a wait of %i s, in %i steps, and asks for none before',
  async (seconds, steps) => {
    const world = await runExport({
      timeoutMs: 900_000,
      behaviour: ({ page }) => pageWithWait(page, seconds),
      settings: { maxTotalWaitSeconds: 30 * 24 * 3600 },
    });
    checkOver(world, EXPORT_ID);
    checkCopy(world, EXPORT_ID);
    checkRequests(world);
    const { requests } = world;
    const early = requests.filter(({ atMs }) =>
      requests.some(
        ({ answeredAtMs = atMs }) => answeredAtMs < atMs && atMs < answeredAtMs + seconds * 1000,
      ),
    );
    expect(early).toEqual([]);
    const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
    expect(state?.counters).toMatchObject({ requests: 20, throttles: 0, pages: 20 });
    expect(state?.counters.waitedSeconds).toBeGreaterThanOrEqual(2 * seconds);
    expect(state?.counters.waitedSeconds).toBeLessThanOrEqual(20 * seconds);
    expect(state?.step).toBeLessThanOrEqual(steps + 1);
    expect(world.gates.read(CONNECTION).waitAsSent).toBe('Retry-After');
  },
);

test('fails with the time at which it may be resumed when a page comes with a wait longer than the cap', async () => {
  const world = await runExport({
    behaviour: ({ page }) => (page === 3 ? pageWithWait(page, 100_000) : undefined),
    settings: { pagesInFlight: 1 },
  });
  const { reason, counters } = world.ledger.readExport(CONNECTION, EXPORT_ID) ?? {};
  expect(reason).toMatchObject({ code: 'wait-too-long' });
  expect(reason?.resumeAtMs).toBe(world.gates.read(CONNECTION).blockedUntilMs);
  expect(counters?.pages).toBe(3);
  expect(world.requests).toHaveLength(3);
});

/** An export in the middle of a wait of 80,000 s, and how long it takes until it asks again after the gate is opened. */
async function openedWorld(more: { readonly isSwept?: boolean; readonly isWoken?: boolean } = {}) {
  const world = new World({
    behaviour: ({ before }) => (before === 3 ? throttled(80_000) : undefined),
    settings: { pagesInFlight: 1 },
  });
  await startIn(world);
  await world.runUntil(() => world.delays.length > 3, false);
  const openedAtMs = world.clock.now();
  const opening = world
    .openGate(more.isWoken ?? false)
    .then(() => (more.isSwept ? world.sweep() : undefined));
  await world.runUntil(() => isOver(world), false);
  await opening;

  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  return (world.requests[4]?.atMs ?? 0) - openedAtMs;
}

test('goes on at once after a person opened the gate, in the middle of a long wait', async () => {
  expect(await openedWorld({ isWoken: true })).toBeLessThanOrEqual(1_000);
});

test.each([
  ['without a sweep', { isSwept: false }],
  // It finds the export stalled, and marks it.
  ['with one at that moment', { isSwept: true }],
])(
  'goes on within 15 minutes after a person opened the gate though no wake-up was sent, %s',
  async (_, more) => {
    expect(await openedWorld(more)).toBeLessThanOrEqual(901_000);
  },
);

test('tells a wait longer than longWaitSeconds once, however many hops it takes', async () => {
  const world = await runExport({
    behaviour: ({ before }) => {
      if (before === 3) return throttled(4_000);
      return before === 6 ? throttled(901) : before === 8 ? throttled(900) : undefined;
    },
    settings: { pagesInFlight: 1 },
  });
  checkOver(world, EXPORT_ID);
  const told = world.events.filter((event) => event.kind === 'throttled-long');
  expect(told.map(({ pages, customers }) => ({ pages, customers }))).toEqual([
    { pages: 3, customers: 30 },
    { pages: 5, customers: 50 },
  ]);
  const seconds = told.map(({ untilMs = 0, atMs }) => Math.ceil((untilMs - atMs) / 1000));
  expect(seconds).toEqual([4_000, 901]);
  expect(new Set(told.map(({ id }) => id)).size).toBe(2);
});

test.each([
  ['the bus refuses it', 'throw-before'],
  ['the answer of the bus is lost', 'throw-after'],
  ['the worker dies', 'crash-before'],
] as const)('tells of a long wait later when %s at first', async (_title, fault) => {
  let failures = 3;
  const world = await runExport({
    behaviour: ({ before }) => (before === 3 ? throttled(7_200) : undefined),
    faults: (_call, name) => (name === 'publish' && failures-- > 0 ? fault : undefined),
    settings: { pagesInFlight: 1 },
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  const told = world.events.filter((event) => event.kind === 'throttled-long');
  expect(told.length).toBeGreaterThanOrEqual(1);
  expect(new Set(told.map((event) => JSON.stringify(event))).size).toBe(1);
});

test('tells of a long wait in the same words also when further steps were done meanwhile', async () => {
  let failures = 3;
  const world = await runExport({
    behaviour: ({ before }) => (before % 4 === 3 && before < 16 ? throttled(100) : undefined),
    faults: (_call, name) => (name === 'publish' && failures-- > 0 ? 'throw-after' : undefined),
    settings: { pagesInFlight: 1, longWaitSeconds: 60 },
  });
  checkOver(world, EXPORT_ID);
  const told = world.events.filter((event) => event.kind === 'throttled-long');
  expect(told.length).toBeGreaterThan(4);
  expect(new Set(told.map((event) => event.id)).size).toBe(4);
  expect(new Set(told.map((event) => JSON.stringify(event))).size).toBe(4);
});

test('fails without any further request when the wait is longer than the cap, also when started again', async () => {
  const world = await runExport({
    behaviour: ({ before }) => (before === 2 ? throttled(Number.MAX_SAFE_INTEGER) : undefined),
    settings: { pagesInFlight: 1 },
  });
  const failed = world.ledger.readExport(CONNECTION, EXPORT_ID);
  expect(failed).toMatchObject({ status: 'failed', reason: { code: 'wait-too-long' } });
  expect(failed?.reason?.resumeAtMs).toBeLessThan(Date.UTC(10_000, 0));
  expect(world.events).toMatchObject([{ kind: 'failed', reasonCode: 'wait-too-long' }]);
  expect(world.requests).toHaveLength(3);

  await startIn(world, 'request-again');
  await world.runUntil(() => isOver(world, 'request-again'), false);
  expect(world.ledger.readExport(CONNECTION, 'request-again')).toMatchObject({
    status: 'failed',
    reason: { code: 'wait-too-long' },
  });
  expect(world.requests).toHaveLength(3);
});

test.each([
  { requestsPerSecond: 0.05, customers: 60 },
  { requestsPerSecond: 0.7, customers: 300 },
  { requestsPerSecond: 3, customers: 1_500 },
  { requestsPerSecond: 40, customers: 3_000 },
])('keeps $requestsPerSecond requests a second within and across steps', async (row) => {
  const { requestsPerSecond, customers } = row;
  const world = await runExport({
    customers,
    timeoutMs: 30_000,
    settings: { requestsPerSecond },
    // A throttle now and then, so that steps follow each other at once.
    behaviour: ({ before }) => (before % 25 === 24 ? throttled(1) : undefined),
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  const times = world.requests.map((request) => request.atMs);
  const intervalMs = 1_000 / requestsPerSecond;
  // However long a stretch is looked at: no more than the rate, but for the lateness of a timer.
  const tooMany = times.flatMap((firstAtMs, from) =>
    times
      .slice(from, from + 60)
      .filter((lastAtMs, index) => index > (lastAtMs - firstAtMs + 6) / intervalMs),
  );
  expect(tooMany).toEqual([]);
});

test.each([
  ['a token bucket', tokenBucket(50, 10), 'bucket'],
  ['a window that sets a long wait', minuteWindow(120), 'window'],
] as const)(
  'begins the second export with what the first one learned: %s',
  async (_title, behaviour, limit) => {
    const world = await runExport({
      customers: 3_000,
      latencyMs: 20,
      timeoutMs: 900_000,
      behaviour,
    });
    checkOver(world, EXPORT_ID);
    const learned = world.gates.read(CONNECTION).pace;
    expect(learned).toMatchObject({ limit, requestsPerSecond: expect.any(Number) });

    const before = world.requests.length;
    await startIn(world, 'request-again');
    await world.runUntil(() => isOver(world, 'request-again'), false);
    checkCopy(world, 'request-again');
    checkRequests(world);
    const again = world.requests.slice(before);
    const throttles = again.filter(({ outcome }) => outcome?.kind === 'throttled').length;
    expect(throttles / again.length).toBeLessThanOrEqual(0.01);
  },
);

test('tells the rate of a step, and learns none where one is set', async () => {
  const world = await runExport({
    customers: 300,
    settings: { requestsPerSecond: 3 },
    behaviour: ({ before }) => (before === 5 ? throttled(1) : undefined),
  });
  const rates = world.reports.map(({ facts }) => facts.requestsPerSecond);
  expect(new Set(rates)).toEqual(new Set([3]));
  expect(world.gates.read(CONNECTION).pace).toBeUndefined();
});

/** Admits so many requests a minute, beginning with the first one. */
function minuteWindow(requests: number): Behaviour {
  let fromMs = 0;
  let used = 0;
  return ({ atMs }) => {
    if (atMs >= fromMs + 60_000) [fromMs, used] = [atMs, 0];
    used++;
    return used > requests ? throttled(Math.ceil((fromMs + 60_000 - atMs) / 1000)) : undefined;
  };
}

test('takes 1.1 times the ideal at most when the rate is known', async () => {
  const world = await runExport({
    customers: 5_000,
    latencyMs: 80,
    timeoutMs: 900_000,
    settings: { requestsPerSecond: 49 },
  });
  checkOver(world, EXPORT_ID);
  const spanMs = (world.requests.at(-1)?.atMs ?? 0) - (world.requests[0]?.atMs ?? 0);
  expect(spanMs).toBeLessThan((500 / 49) * 1_000 * 1.1);
});

test('grows its own waits while the API tells none, and forgets that with the next page', async () => {
  const blind: ListOutcome = {
    kind: 'throttled',
    status: 429,
    retryAfterSeconds: 1,
    waitSource: 'backoff',
  };
  const world = await runExport({
    customers: 100,
    settings: { pagesInFlight: 1 },
    behaviour: ({ before }) => (before >= 2 && before < 14 ? blind : undefined),
  });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  expect(Math.max(...world.delays)).toBeGreaterThan(8);
  expect(Math.max(...world.delays)).toBeLessThanOrEqual(60);
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)?.inRow.blindThrottles).toBe(0);
});

test.each(['storePace', 'storeSample'])(
  'loses no page, and asks for no part again, where the gate takes no %s',
  async (refused) => {
    const world = new World({
      customers: 300,
      settings: { partMaxPages: 4 },
      behaviour: tokenBucket(1, 5),
      faults: (_, name) => (name === refused ? 'throw-before' : undefined),
    });
    await startIn(world);
    const endMs = world.clock.now() + 3_600_000;
    await world.runUntil(() => isOver(world) || world.clock.now() > endMs, true);

    checkOver(world, EXPORT_ID);
    checkCopy(world, EXPORT_ID);
    const answered = world.requests.filter(({ outcome }) => outcome?.kind === 'page');
    // A step may ask again for a page that came behind a throttled one, and never for a part.
    expect(answered.length).toBeLessThan(30 + 4);
  },
);

/** What writes the gate; claims and commits write the item of the export. */
const GATE_WRITES = ['blockUntil', 'storePace', 'storeSample', 'changePlaces'];
const GATE_OUTAGE_MS = 600_000;
const LONG_WAIT_MS = 3_000_000;

test('keeps a wait that the gate did not take, and tells the gate as soon as it can', async () => {
  let failingFromMs: number | undefined;
  const world: World = new World({
    customers: 100,
    behaviour: ({ before, atMs }) => {
      if (before !== 3) return undefined;
      failingFromMs = atMs;
      return throttled(LONG_WAIT_MS / 1000);
    },
    faults: (_, name) => {
      const isOut = world.clock.now() < (failingFromMs ?? -Infinity) + GATE_OUTAGE_MS;
      return isOut && GATE_WRITES.includes(name) ? 'throw-before' : undefined;
    },
  });
  await startIn(world, EXPORT_ID);
  let toldAtMs = 0;
  await world.runUntil(() => {
    const { blockedUntilMs } = world.gates.read(CONNECTION);
    if (toldAtMs === 0 && blockedUntilMs > 0) toldAtMs = world.clock.now();
    return isOver(world, EXPORT_ID);
  }, true);

  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  const throttledAtMs = world.requests[3]?.answeredAtMs ?? 0;
  const underWayMs = throttledAtMs + 1_000;
  const next = world.requests.find(({ atMs }) => atMs > underWayMs);
  expect(next?.atMs).toBeGreaterThanOrEqual(throttledAtMs + LONG_WAIT_MS);
  // By the second hop of 900 s.
  expect(toldAtMs).toBeGreaterThan(throttledAtMs + GATE_OUTAGE_MS);
  expect(toldAtMs).toBeLessThan(throttledAtMs + GATE_OUTAGE_MS + 960_000);
});
