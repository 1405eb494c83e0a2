import { expect, test } from '@jest/globals';
import type { ListOutcome, Page } from '../../../lib/customers-api/outcome.ts';
import { defined } from '../../../lib/defined.ts';
import type { CarriedPage } from '../../../lib/exports/carried-pages.ts';
import { PageFetcher } from '../../../lib/exports/fetch-pages.ts';
import { stopAt } from '../../../lib/exports/fetch-stop.ts';
import { WOKEN } from '../../../lib/gate/pause.ts';
import type { Gate, Gates } from '../../../lib/gate/ports.ts';
import { AdaptivePace } from '../../../lib/pace/adaptive-pace.ts';
import { paceOf } from '../../../lib/pace/pace-of.ts';
import type { Pacer } from '../../../lib/pace/pacer.ts';
import { pageOf, throttled } from '../../faults/model-api.ts';
import { VirtualClock } from '../../faults/virtual-clock.ts';
import { until } from '../../until.ts';
import { NoPace } from '../pace/no-pace.ts';
import { asCarried } from './as-carried.ts';

interface Answer {
  readonly afterMs: number;
  /** For its connection, in which the request has not left yet. @default nobody tells when it leaves */
  readonly connectMs?: number;
  readonly outcome?: ListOutcome;
}

/** A fetcher of 100 pages in virtual time; what it sent and what the gate was told. */
function fetcherOf(
  answerTo: (page: number) => Answer,
  options: {
    /** @default 4 */
    limit?: number | 'adaptive';
    /** @default the one that learns */
    pace?: Pacer;
    gates?: () => Gate | Promise<Gate>;
    cutOff?: ListOutcome;
    halting?: () => Promise<void>;
    /** Behind this page all others are asked for anew, from page 51 on. */
    anewAfter?: number;
    /** This page is held when it first comes, and page 90 is asked for in front of it. */
    held?: number;
    requestsPerSecond?: number;
    changePlaces?: Gates['changePlaces'];
    carried?: readonly CarriedPage[];
    doubtsCarried?: boolean;
    pagesAtOnce?: number;
    /** Pages that an earlier step took. */
    taken?: number;
    /** Whether the walk asks for it. @default as long as there are pages */
    onAsk?: (ahead: number) => boolean;
    /** @default 60,000 */
    stopAtMs?: number;
    /** How far the clock of this process is ahead of time. */
    aheadMs?: () => number;
  } = {},
) {
  const clock = new VirtualClock(0);
  const sent: { page: number; atMs: number }[] = [];
  const told: string[] = [];
  const waits: AbortSignal[] = [];
  let { taken = 0 } = options;
  const { carried, doubtsCarried, pagesAtOnce } = options;
  let isFrontAsked = false;
  let wasHeld = false;
  let running = 0;
  let mostRunning = 0;
  const open: Gate = { blockedUntilMs: 0, haltedKeyVersions: [] };
  const { limit = 4, requestsPerSecond } = options;
  const pace = options.pace ?? paceOf(defined({ requestsPerSecond }), open, 0);
  const fetcher = new PageFetcher(
    {
      clock: {
        now: () => clock.now() + (options.aheadMs?.() ?? 0),
        sleep: (ms, signal) => {
          waits.push(signal);
          return clock.sleep(ms, signal);
        },
      },
      random: { fraction: () => 0.5, token: () => '0' },
      gates: {
        read: async () => (await options.gates?.()) ?? open,
        changePlaces: options.changePlaces ?? (async () => undefined),
        blockUntil: async (_connection, untilMs) => told.push(`until ${untilMs}`) > 0,
        haltKeyVersion: async (_connection, { keyVersion }) => {
          await options.halting?.();
          told.push(`halt ${keyVersion}`);
        },
      },
    },
    {
      exportId: 'request-1',
      connectionName: 'acme',
      connection: {
        kind: 'open',
        keyVersion: 'v1',
        credential: 'v1/',
        listPage: async ({ page }, signal, onLeave) => {
          sent.push({ page, atMs: clock.now() });
          mostRunning = Math.max(mostRunning, ++running);
          const { afterMs, connectMs, outcome } = answerTo(page);
          if (connectMs !== undefined) {
            await clock.sleep(connectMs, signal);
            onLeave?.();
          }
          await clock.sleep(afterMs, signal);
          running--;
          if (signal.aborted) {
            return options.cutOff ?? { kind: 'unavailable', reason: 'aborted', message: 'Ended.' };
          }
          return outcome ?? pageOf(1_000, page, 10, false);
        },
      },
      request: { list: 'customers', resource: 'customers', query: {} },
      ask: (ahead) => {
        if (options.onAsk?.(ahead) === false) return undefined;
        if (!isFrontAsked) return { page: taken + ahead + 1 };
        return { page: ahead === 0 ? 90 : taken + ahead };
      },
      gate: { ...open, atMs: 0 },
      pace,
      ...(limit !== 'adaptive' && { pagesInFlight: limit }),
      ...defined({ carried, doubtsCarried, pagesAtOnce }),
      blindThrottles: 0,
      stopAtMs: options.stopAtMs ?? 60_000,
    },
  );
  const take = async () => {
    const kinds: (number | string)[] = [];
    let isOver = false;
    const taking = (async () => {
      for (;;) {
        const fetched = await fetcher.next();
        kinds.push(fetched.kind === 'page' ? fetched.page.page : fetched.kind);
        if (fetched.kind !== 'page') return fetched;
        if (fetched.page.page === options.held && !wasHeld) {
          wasHeld = true;
          isFrontAsked = true;
          fetcher.askInFront(fetched.page);
          continue;
        }
        if (isFrontAsked) isFrontAsked = false;
        else taken++;
        if (fetched.page.page !== options.anewAfter) continue;
        taken = 50;
        fetcher.askAnew();
      }
    })().finally(() => {
      isOver = true;
    });
    taking.catch(() => undefined);
    for (let turn = 0; turn < 100_000 && !isOver; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isOver) clock.step();
    }
    return { kinds, stop: await taking };
  };
  return { fetcher, clock, sent, told, waits, take, pace, mostRunning: () => mostRunning };
}

test('hands pages out in order although answers overtake each other', async () => {
  const { take } = fetcherOf((page) =>
    page === 13 ? { afterMs: 5, outcome: throttled(7) } : { afterMs: page % 3 === 0 ? 90 : 10 },
  );
  const { kinds } = await take();
  expect(kinds).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 'throttled']);
});

test('ends a wait for the pace without an error, which would take longer than all else of it', async () => {
  const { take, waits } = fetcherOf(
    (page) => (page === 5 ? { afterMs: 5, outcome: throttled(7) } : { afterMs: 5 }),
    { requestsPerSecond: 10 },
  );
  await take();
  expect(waits.length).toBeGreaterThan(3);
  expect(waits.map(({ reason }) => reason)).toEqual(waits.map(() => WOKEN));
});

test('drops pages behind one that is missing and sends nothing after it', async () => {
  const { take, sent, told } = fetcherOf((page) =>
    page === 3 ? { afterMs: 5, outcome: throttled(7) } : { afterMs: 50 },
  );
  const { kinds, stop } = await take();
  expect(kinds).toEqual([1, 2, 'throttled']);
  expect(sent.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5]);
  expect(told).toEqual(['until 7055']);
  expect(stop).toEqual({ kind: 'throttled', notBeforeMs: 7_055, isBlind: false });
});

test('learns no limit from requests that were held back for a running wait, and counts none of them', async () => {
  const { take, fetcher, pace } = fetcherOf(
    (page) => {
      if (page === 22) return { afterMs: 5, outcome: throttled(7) };
      const heldBack = { ...throttled(7), isHeldBack: true as const };
      return page > 22 ? { afterMs: 6, outcome: heldBack } : { afterMs: 5 };
    },
    { limit: 8 },
  );
  await take();
  const known = pace instanceof AdaptivePace ? pace.known : undefined;
  expect(known?.learned.log.at(-1)?.throttle).toMatchObject({ tries: 1, behind: [] });
  expect(fetcher.tally).toEqual({ requests: 22, throttles: 1, waitedSeconds: 7 });
});

test('asks for the first page alone', async () => {
  const { take, sent } = fetcherOf((page) => ({
    afterMs: 50,
    ...(page === 1
      ? { outcome: { kind: 'authentication-failure', status: 401 } satisfies ListOutcome }
      : {}),
  }));
  const { kinds } = await take();
  expect(kinds).toEqual(['authentication-failure']);
  expect(sent).toHaveLength(1);
});

test('stops for a wait or a halt that another caller met, within a second', async () => {
  const gate = { blockedUntilMs: 0, haltedKeyVersions: [] };
  const blocked = fetcherOf(() => ({ afterMs: 100 }), {
    limit: 1,
    gates: () => ({ ...gate, blockedUntilMs: 12_000 }),
  });
  expect((await blocked.take()).stop).toEqual({ kind: 'blocked', notBeforeMs: 12_000 });
  expect(blocked.sent.at(-1)?.atMs).toBeLessThanOrEqual(1_000);
  const halted = fetcherOf(() => ({ afterMs: 100 }), {
    limit: 1,
    gates: () => ({ ...gate, haltedKeyVersions: ['v1'] }),
  });
  expect((await halted.take()).stop).toEqual({ kind: 'key-halted' });
});

test.each([
  ['another caller met', { gates: () => ({ blockedUntilMs: 8_000, haltedKeyVersions: [] }) }, {}],
  ['came with a page', {}, { retryAfterSeconds: 8 }],
])('waits in the step for the end of a short wait that %s', async (_, options, told) => {
  const { take, sent } = fetcherOf(
    (page) => ({ afterMs: 100, outcome: { ...pageOf(1_000, page, 10, false), ...told } }),
    { limit: 1, stopAtMs: 12_000, ...options },
  );
  await take();
  const later = sent.filter(({ atMs }) => atMs > 1_100);
  expect(later.length).toBeGreaterThan(0);
  expect(later[0]?.atMs).toBeGreaterThanOrEqual(8_000);
});

test('looks again when it stood still during a look, as the gate may have been closed meanwhile', async () => {
  let looks = 0;
  const { take, sent, clock } = fetcherOf(() => ({ afterMs: 1_500 }), {
    limit: 1,
    gates: async () => {
      looks++;
      if (looks === 1) await clock.delay(30_000);
      return { blockedUntilMs: looks === 1 ? 0 : 50_000, haltedKeyVersions: [] };
    },
  });

  const { kinds } = await take();
  expect(kinds).toEqual([1, 'blocked']);
  expect(sent).toHaveLength(1);
});

test('looks again when its clock was set back, as its latest look may be of any age', async () => {
  let aheadMs = 7_200_000;
  let isClosed = false;
  const { take, sent, clock } = fetcherOf(() => ({ afterMs: 300 }), {
    limit: 1,
    gates: () => ({ blockedUntilMs: isClosed ? 7_230_000 : 0, haltedKeyVersions: [] }),
    aheadMs: () => aheadMs,
    stopAtMs: 14_400_000,
  });
  clock.at(500, () => {
    aheadMs = 3_600_000;
    isClosed = true;
  });

  const { kinds } = await take();
  expect(kinds).toEqual([1, 2, 'blocked']);
  expect(sent).toHaveLength(2);
});

test('sends although each look at the gate is slow', async () => {
  const { take, clock } = fetcherOf(() => ({ afterMs: 1_500 }), {
    limit: 1,
    gates: async () => {
      await clock.delay(1_100);
      return { blockedUntilMs: 0, haltedKeyVersions: [] };
    },
  });

  const { kinds } = await take();
  expect(kinds.slice(0, 3)).toEqual([1, 2, 3]);
});

test('sends nothing whose answer would come after the end, and takes nothing that was cut off', async () => {
  const slow = fetcherOf(() => ({ afterMs: 13_000 }), { limit: 1 });
  expect((await slow.take()).kinds).toEqual([1, 2, 3, 4, 'time-up']);
  const cut = fetcherOf((page) => ({ afterMs: page < 3 ? 10 : 1e9 }));
  cut.clock.at(500, () => cut.fetcher.abandon());
  expect((await cut.take()).kinds).toEqual([1, 2, 'cut-off']);
});

test('throws what a port throws', async () => {
  const { take } = fetcherOf(() => ({ afterMs: 100 }), {
    limit: 1,
    gates: () => {
      throw new Error('The table is out of order');
    },
  });
  await expect(take()).rejects.toThrow('out of order');
});

const NOT_A_PAGE: ListOutcome = {
  kind: 'refused',
  reason: 'not-json',
  status: 404,
  message: 'No.',
};

test('gives what came behind a throttled page to the next step, which asks for the rest first', async () => {
  const first = fetcherOf((page) =>
    page === 4 || page === 6
      ? { afterMs: 100 - 10 * page, outcome: throttled(1) }
      : { afterMs: 20 },
  );
  expect((await first.take()).kinds).toEqual([1, 2, 3, 'throttled']);
  const carried = first.fetcher.rest();
  expect(carried.map((each) => each?.page.page)).toEqual([undefined, 5, undefined, 7, 8, 9, 10]);
  expect(first.fetcher.pagesAtOnce).toBe(4);

  const next = fetcherOf(
    (page) => (page === 14 ? { afterMs: 20, outcome: throttled(1) } : { afterMs: 20 }),
    { carried, taken: 3 },
  );
  const { kinds } = await next.take();
  expect(kinds).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 'throttled']);
  expect(next.sent.map(({ page }) => page).slice(0, 4)).toEqual([4, 6, 11, 12]);
});

test('tells the walk of each page that it carries, and gives those back that the walk does not ask for', async () => {
  const told: number[] = [];
  const released: number[] = [];
  const pages = [7, 8, 9].map((page) => ({
    ...pageOf(1_000, page, 10),
    release: () => void released.push(page),
  }));
  const { fetcher, sent } = fetcherOf(() => ({ afterMs: 20 }), {
    carried: asCarried([undefined, ...pages]),
    taken: 5,
    onAsk: (ahead) => {
      told.push(ahead);
      return ahead < 3;
    },
  });
  expect(told).toEqual([0, 1, 2, 3]);
  expect(released).toEqual([9]);
  expect(sent).toEqual([]);
  expect(fetcher.rest().map((each) => each?.page.page)).toEqual([undefined, 7, 8]);
});

test.each([
  ['throttled', throttled(1)],
  ['unavailable', { kind: 'unavailable', reason: 'network', message: 'No.' }],
  ['refused', NOT_A_PAGE],
] satisfies readonly [string, ListOutcome][])(
  'stops for what it carries no page of and is %s, and carries the rest again',
  async (kind, outcome) => {
    const carried = asCarried([undefined, pageOf(1_000, 5, 10), undefined, pageOf(1_000, 7, 10)]);
    const { take, fetcher, sent } = fetcherOf(
      (page) => (page === 6 ? { afterMs: 20, outcome } : { afterMs: 10 }),
      { carried, taken: 3, limit: 2, pagesAtOnce: 2 },
    );
    expect((await take()).kinds).toEqual([4, 5, kind]);
    expect(fetcher.rest().map((each) => each?.page.page)).toEqual([undefined, 7, 8]);
    expect(sent.map(({ page }) => page)).toEqual([4, 6, 8]);
  },
);

const TEN = Array.from({ length: 10 }, (_, index) => pageOf(1_000, index + 5, 10, false));

test.each<[string, readonly Page[], readonly number[]]>([
  ['came again, though they are far ahead', TEN, [4, 5, 14, 15, 16]],
  [
    'moved',
    [...TEN.slice(0, 9), pageOf(1_000, 13, 10, false)],
    [4, 5, 14, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  ],
])(
  'of a list that may have moved hands out what it carries once the ends %s',
  async (_, carried, asked) => {
    const { take, sent } = fetcherOf(
      (page) => (page === 16 ? { afterMs: 20, outcome: throttled(1) } : { afterMs: 20 }),
      { carried: asCarried([undefined, ...carried]), doubtsCarried: true, taken: 3, limit: 1 },
    );
    const { kinds } = await take();
    expect(kinds).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 'throttled']);
    expect(sent.map(({ page }) => page)).toEqual(asked);
  },
);

test('asks for all that it carries when the walk no longer asks for the last of it', async () => {
  let isShort = false;
  const { take, sent } = fetcherOf(
    (page) => {
      isShort = true;
      return page === 16 ? { afterMs: 20, outcome: throttled(1) } : { afterMs: 20 };
    },
    {
      carried: asCarried([undefined, ...TEN]),
      doubtsCarried: true,
      taken: 3,
      limit: 1,
      onAsk: (ahead) => !isShort || ahead === 0,
    },
  );
  const { kinds } = await take();
  expect(kinds).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 'throttled']);
  expect(sent.map(({ page }) => page)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
});

test.each([
  ['throttled', throttled(1)],
  ['unavailable', { kind: 'unavailable', reason: 'network', message: 'No.' }],
] satisfies readonly [string, ListOutcome][])(
  'stops when the last of what it carries is %s, and carries it again',
  async (kind, outcome) => {
    const { take, fetcher } = fetcherOf(
      (page) => (page === 14 ? { afterMs: 20, outcome } : { afterMs: 20 }),
      { carried: asCarried([undefined, ...TEN]), doubtsCarried: true, taken: 3, limit: 1 },
    );
    expect((await take()).kinds).toEqual([4, 5, kind]);
    expect(fetcher.rest().map((each) => each?.page.page)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14]);
  },
);

test('tells the pace when a request leaves, whose connection is made first', async () => {
  const { take, pace } = fetcherOf((page) =>
    page === 3
      ? { connectMs: 0, afterMs: 20, outcome: throttled(1) }
      : { connectMs: page === 2 ? 60 : 0, afterMs: 20 },
  );
  expect((await take()).kinds).toEqual([1, 2, 'throttled']);
  // The second page was asked for before the third one, and left when that was throttled already.
  expect(pace.known?.learned.log.at(-1)).toMatchObject({
    throttle: { atMs: 20, behind: [{ admitted: 1, throttled: 0, afterMs: 56 }] },
  });
});

test('goes on with a page of its own when the last of what it carries is refused', async () => {
  const { take } = fetcherOf(
    (page) => ({ afterMs: 20, ...(page === 14 ? { outcome: NOT_A_PAGE } : {}) }),
    { carried: asCarried([undefined, ...TEN]), doubtsCarried: true, taken: 3, limit: 1 },
  );
  expect((await take()).kinds).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 'refused']);
});

test.each([
  ['more after a wait by chance', new NoPace(), 9, 16],
  ['as many as before after another wait', undefined, 9, 8],
  ['as many as before without a wait', new NoPace(), undefined, 8],
])('lets the next step begin with %s', async (_title, pace, throttledPage, expected) => {
  const { take, fetcher } = fetcherOf(
    (page) => (page === throttledPage ? { afterMs: 20, outcome: throttled(1) } : { afterMs: 20 }),
    { ...defined({ pace }), limit: 'adaptive', onAsk: (ahead) => ahead === 0, stopAtMs: 1_000 },
  );
  await take();
  expect(fetcher.pagesAtOnce).toBe(expected);
});

test('begins with as many at once as were good in the step before, or as are set', async () => {
  const answerTo = (page: number) => ({
    afterMs: 20,
    ...(page > 8 ? { outcome: throttled(7) } : {}),
  });
  for (const [limit, atOnce] of [
    [3, 3],
    [32, 8],
  ]) {
    const { take, sent } = fetcherOf(answerTo, { ...(limit && { limit }), pagesAtOnce: 8 });
    await take();
    expect(sent.filter(({ atMs }) => atMs === 0)).toHaveLength(atOnce ?? 0);
  }
});

test('asks for more while a slow page is waited for, but for no more than twice as many ahead', async () => {
  const { take, sent } = fetcherOf((page) => ({
    afterMs: page === 5 ? 500 : 20,
    ...(page === 20 ? { outcome: throttled(7) } : {}),
  }));
  await take();
  const slowAtMs = sent.find(({ page }) => page === 5)?.atMs ?? 0;
  const meanwhile = sent.filter(({ atMs }) => atMs >= slowAtMs && atMs < slowAtMs + 500);
  expect(Math.max(...meanwhile.map(({ page }) => page))).toBe(5 + 2 * 4 - 1);
});

const page = pageOf(10, 1, 10);
const rejected = { kind: 'authentication-failure', status: 401 } as const;
const broken = { kind: 'unavailable', reason: 'network', message: 'No.' } as const;
const refused = { kind: 'refused', reason: 'not-json', message: 'No.' } as const;

test.each([
  ['a rejected key before all', broken, [broken, page, rejected], false, 'authentication-failure'],
  ['a refusal', refused, [refused, page], false, 'refused'],
  ['a throttle before a failure', broken, [broken, throttled(1)], false, 'throttled'],
  ['a failure', broken, [broken, page], false, 'unavailable'],
  ['an answer that came too late', broken, [broken], true, 'cut-off'],
] satisfies readonly [string, ListOutcome, readonly ListOutcome[], boolean, string][])(
  'stops for %s',
  (_title, first, outcomes, isCutOff, kind) => {
    const answers = outcomes.map((outcome) => ({ outcome }));
    expect(stopAt(first, answers, isCutOff).kind).toBe(kind);
  },
);

test('tells the gate of a rejected key that shows only while what is under way is cut off', async () => {
  const { fetcher, told, sent } = fetcherOf(() => ({ afterMs: 10_000 }), {
    cutOff: { kind: 'authentication-failure', status: 401 },
    // A turn later, as a call over the network is.
    halting: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const next = fetcher.next();
  await until('a request', () => sent.length > 0, { everyMs: 0 });

  fetcher.abandon();
  await fetcher.over();

  expect(told).toEqual(['halt v1']);
  expect((await next).kind).toBe('authentication-failure');
});

test('drops what is under way when all is asked for anew', async () => {
  const { take, sent } = fetcherOf(
    (page) => (page === 60 ? { afterMs: 5, outcome: throttled(7) } : { afterMs: 20 }),
    { anewAfter: 5 },
  );
  const { kinds } = await take();

  expect(kinds).toEqual([1, 2, 3, 4, 5, 51, 52, 53, 54, 55, 56, 57, 58, 59, 'throttled']);
  // As many at a time as before, those that are dropped included.
  expect(sent.map(({ page }) => page)).toEqual(expect.arrayContaining([6, 7, 8, 51, 52]));
});

test('keeps to the wait that a dropped answer asks for', async () => {
  const { take, sent, told } = fetcherOf(
    (page) => (page === 7 ? { afterMs: 50, outcome: throttled(4) } : { afterMs: 20 }),
    { anewAfter: 5, stopAtMs: 5_000 },
  );
  const { kinds } = await take();
  const answeredMs = (sent.find(({ page }) => page === 7)?.atMs ?? 0) + 50;

  expect(kinds).toEqual(expect.arrayContaining([5, 51]));
  expect(kinds).not.toContain(6);
  expect(told).toEqual([`until ${answeredMs + 4_000}`]);
  const after = sent.filter(({ atMs }) => atMs > answeredMs).map(({ atMs }) => atMs);
  expect(Math.min(...after)).toBe(answeredMs + 4_000);
});

test('stops when a dropped answer rejects the key', async () => {
  const rejected: ListOutcome = { kind: 'authentication-failure', status: 401 };
  const { take, sent, told } = fetcherOf(
    (page) => (page === 7 ? { afterMs: 50, outcome: rejected } : { afterMs: 20 }),
    { anewAfter: 5 },
  );
  const { stop } = await take();
  const rejectedMs = (sent.find(({ page }) => page === 7)?.atMs ?? 0) + 50;

  expect(stop.kind).toBe('authentication-failure');
  expect(told).toEqual(['halt v1']);
  expect(sent.filter(({ atMs }) => atMs > rejectedMs)).toEqual([]);
});

test('asks for a page in front of all that is under way, and no more at a time than before', async () => {
  const { take, sent, mostRunning } = fetcherOf(
    (page) => (page === 12 ? { afterMs: 5, outcome: throttled(7) } : { afterMs: 20 + (page % 3) }),
    { held: 5, limit: 4 },
  );
  const { kinds } = await take();

  expect(kinds).toEqual([1, 2, 3, 4, 5, 90, 5, 6, 7, 8, 9, 10, 11, 'throttled']);
  // Nothing that was asked for is asked for again.
  expect(new Set(sent.map(({ page }) => page)).size).toBe(sent.length);
  expect(mostRunning()).toBe(4);
});

test('asks for a page in front of a held one with one request at a time', async () => {
  const { take, mostRunning } = fetcherOf(
    (page) => (page === 7 ? { afterMs: 5, outcome: throttled(7) } : { afterMs: 20 }),
    { held: 3, limit: 1 },
  );

  expect((await take()).kinds).toEqual([1, 2, 3, 90, 3, 4, 5, 6, 'throttled']);
  expect(mostRunning()).toBe(1);
});

test('asks for a page in front when the wait is over that an answer behind the held one asked for', async () => {
  const { take, sent, told } = fetcherOf(
    (page) => {
      const isFirst = sent.filter((each) => each.page === page).length === 1;
      if (page === 7 && isFirst) return { afterMs: 5, outcome: throttled(1) };
      return page === 9 ? { afterMs: 20, outcome: NOT_A_PAGE } : { afterMs: page === 5 ? 60 : 20 };
    },
    { held: 5 },
  );
  const { kinds } = await take();
  const toldMs = Number(told[0]?.slice('until '.length));

  // What was under way is asked for again behind the page in front.
  expect(kinds).toEqual([1, 2, 3, 4, 5, 90, 5, 6, 7, 8, 'refused']);
  expect(sent.find(({ page }) => page === 90)?.atMs).toBeGreaterThanOrEqual(toldMs);
  expect(sent.filter(({ atMs }) => atMs > toldMs - 1_000 && atMs < toldMs)).toEqual([]);
});

test('a refusal behind a held page is asked for again, and ends nothing before its turn', async () => {
  const { take } = fetcherOf(
    (page) =>
      page === 7 ? { afterMs: 5, outcome: NOT_A_PAGE } : { afterMs: page === 5 ? 60 : 20 },
    { held: 5 },
  );
  expect((await take()).kinds).toEqual([1, 2, 3, 4, 5, 90, 5, 6, 'refused']);
});

test('stops for a wait that another caller met, also when a page is to be asked for in front', async () => {
  let isBlocked = false;
  const { take, sent } = fetcherOf(
    (page) => {
      if (page === 5) isBlocked = true;
      return { afterMs: page === 5 ? 1_200 : 20 };
    },
    {
      held: 5,
      gates: () => ({ blockedUntilMs: isBlocked ? 50_000 : 0, haltedKeyVersions: [] }),
    },
  );
  const { kinds, stop } = await take();

  expect(kinds).toEqual([1, 2, 3, 4, 5, 'blocked']);
  expect(stop).toEqual({ kind: 'blocked', notBeforeMs: 50_000 });
  expect(sent.map(({ page }) => page)).not.toContain(90);
});

const SHARED = {
  fullAtMs: 0,
  windowFromMs: 0,
  windowUsed: 0,
  windowAsked: 0,
  windowAskedBefore: 0,
};

test('goes on without places, and asks for none for ten seconds, when they cannot be stored', async () => {
  const gate = { blockedUntilMs: 0, haltedKeyVersions: [] };
  const places = { ...SHARED, othersTaken: 1, othersAtMs: 1_000 };
  const asked: number[] = [];
  const { take, clock, sent } = fetcherOf(
    (page) => (page === 200 ? { afterMs: 5, outcome: throttled(70) } : { afterMs: 5 }),
    {
      requestsPerSecond: 10,
      gates: () => ({ ...gate, places }),
      changePlaces: async () => {
        asked.push(clock.now());
        throw new Error('down');
      },
    },
  );

  const { kinds } = await take();

  expect(kinds.filter((each) => typeof each === 'number')).toHaveLength(199);
  expect(asked.length).toBeGreaterThan(0);
  const gaps = asked.slice(1).map((atMs, index) => atMs - (asked[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
  expect(sent.at(-1)?.atMs).toBeLessThan(21_000);
});

test('sends no page when the answer of its place shows that the gate was closed', async () => {
  const gate = { blockedUntilMs: 0, haltedKeyVersions: [] };
  const places = { ...SHARED, othersTaken: 1, othersAtMs: 1_000 };
  const { take, sent } = fetcherOf(() => ({ afterMs: 5 }), {
    requestsPerSecond: 10,
    gates: () => ({ ...gate, places }),
    changePlaces: async () => ({ ...gate, places, blockedUntilMs: 60_000 }),
  });

  const { stop } = await take();

  expect(stop).toMatchObject({ kind: 'blocked', notBeforeMs: 60_000 });
  // Those before its first look that showed others.
  expect(sent.every(({ atMs }) => atMs <= 1_100)).toBe(true);
});

test('gives up the last of the pages that do not fit into memory, and asks for them again', async () => {
  const large = new Uint8Array(4 * 1024 * 1024);
  const asked: number[] = [];
  let most = 0;
  const { take, fetcher, clock } = fetcherOf(
    (page) => {
      const isSlow = page === 30 && !asked.includes(page);
      asked.push(page);
      if (page === 60) return { afterMs: 20, outcome: throttled(7) };
      const ndjson = page < 30 ? new Uint8Array(10) : large;
      return { afterMs: isSlow ? 900 : 20, outcome: { ...pageOf(1_000, page, 10), ndjson } };
    },
    { limit: 16 },
  );
  for (let atMs = 0; atMs < 5_000; atMs += 10) {
    clock.at(atMs, () => {
      const pages = fetcher.rest().filter((each) => each?.page.ndjson === large);
      most = Math.max(most, pages.length * large.length);
    });
  }
  const { kinds } = await take();
  expect(kinds).toEqual([...Array.from({ length: 59 }, (_, index) => index + 1), 'throttled']);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(16 * 1024 * 1024);
});
