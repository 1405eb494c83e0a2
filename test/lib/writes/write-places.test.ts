import { expect, test } from '@jest/globals';
import { MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { randomOf } from '../../../infra/simulator/random.ts';
import { defined } from '../../../lib/defined.ts';
import type { Gate, Gates } from '../../../lib/gate/ports.ts';
import { waitForPlace } from '../../../lib/gate/wait-for-place.ts';
import { WritePlaces } from '../../../lib/writes/write-places.ts';
import { seedsOf, trySeed } from '../../deep/depth.ts';
import { VirtualClock } from '../../faults/virtual-clock.ts';

const CONNECTION = 'acme';
const CALL_MS = 5;
/** The function ends then. */
const SECONDS = 20;

/** Callers of one connection in virtual time. Each call of the ledger takes 5 ms. */
function worldOf(seed: number, failing: { readonly changePlaces?: true } = {}) {
  const clock = new VirtualClock();
  const memory = new MemoryGates();
  const fraction = randomOf(seed);
  const call = async <T>(does: () => T): Promise<T> => {
    await clock.delay(CALL_MS);
    return does();
  };
  const gates: Pick<Gates, 'read' | 'changePlaces'> = {
    read: (name) => call(() => memory.read(name)),
    changePlaces: (...args) =>
      call(() => {
        if (failing.changePlaces) throw new Error('down');
        return memory.changePlaces(...args);
      }),
  };
  const time = {
    now: () => clock.now(),
    sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms, signal),
  };
  const ports = { clock: time, random: { fraction, token: () => 't' }, gates };
  const writePlaces = (
    requestsPerSecond: number | undefined,
    gate = { blockedUntilMs: 0 },
    seconds = SECONDS,
  ) =>
    new WritePlaces(ports, {
      connection: CONNECTION,
      settings: defined({ requestsPerSecond }),
      gate,
      latestAtMs: clock.now() + seconds * 1000,
    });
  const run = async (work: Promise<unknown>) => {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isOver) clock.step();
    }
    await over;
  };
  return { clock, memory, fraction, ports, writePlaces, run };
}

test.each([{ perSecond: 20 }, { perSecond: 4 }])(
  'a live read is behind one write at most, however many functions write at $perSecond/s',
  async ({ perSecond }) => {
    const everyMs = 1000 / perSecond;
    for (const seed of seedsOf({ short: 3, deep: 50 })) {
      await trySeed(seed, async () => {
        const { clock, fraction, ports, writePlaces, run } = worldOf(seed);
        const writesAtMs: number[] = [];
        const reads: { readonly askedAtMs: number; readonly atMs: number }[] = [];
        const write = async () => {
          const places = writePlaces(perSecond);
          while (await places.take()) writesAtMs.push(clock.now());
        };
        const read = async (afterMs: number) => {
          await clock.delay(afterMs);
          const seen = { ...(await ports.gates.read(CONNECTION)), atMs: clock.now() };
          const askedAtMs = clock.now();
          const latestAtMs = askedAtMs + 10_000;
          const { signal } = new AbortController();
          const wish = { connection: CONNECTION, seen, requestsPerSecond: perSecond };
          const placed = await waitForPlace(ports, { ...wish, latestAtMs, signal });
          expect(placed?.kind).toBe('in-place');
          reads.push({ askedAtMs, atMs: clock.now() });
        };
        // A read of three requests of the limit: they do not meet each other often.
        const count = Math.floor((SECONDS * perSecond) / 4);
        const times = Array.from({ length: count }, (_, each) => (each * 3 + fraction()) * everyMs);
        await run(Promise.all([write(), write(), write(), write(), write(), ...times.map(read)]));

        for (const { askedAtMs, atMs } of reads) {
          const inFront = writesAtMs.filter((each) => each > askedAtMs + CALL_MS && each < atMs);
          expect(inFront.length).toBeLessThanOrEqual(1);
        }
        const sorted = reads.map(({ askedAtMs, atMs }) => atMs - askedAtMs).sort((a, b) => a - b);
        expect(sorted[Math.floor(0.95 * sorted.length)]).toBeLessThanOrEqual(2 * everyMs + CALL_MS);
        expect(writesAtMs.length + reads.length).toBeGreaterThan(0.9 * SECONDS * perSecond);
      });
    }
  },
);

test('a write takes no place in a wait that came after its look at the gate', async () => {
  const { clock, memory, writePlaces, run } = worldOf(1);
  const untilMs = clock.now() + 3_000;
  const told = { blockedUntilMs: 0 };
  let atMs = 0;
  const work = writePlaces(10, told)
    .take()
    .then(() => {
      atMs = clock.now();
    });
  clock.at(clock.now() + CALL_MS + 1, () => memory.blockUntil(CONNECTION, untilMs));
  await run(work);

  expect(atMs).toBeGreaterThanOrEqual(untilMs);
  expect(told.blockedUntilMs).toBe(untilMs);
});

test('a write goes on without a place when none can be stored, and not without a look at the gate', async () => {
  const { writePlaces, run, ports } = worldOf(1, { changePlaces: true });
  const taken: boolean[] = [];
  await run(
    writePlaces(10)
      .take()
      .then((isTaken) => taken.push(isTaken)),
  );
  expect(taken).toEqual([true]);

  ports.gates.read = () => Promise.reject<Gate>(new Error('down'));
  await expect(writePlaces(10).take()).rejects.toThrow('down');
});

test.each([
  { lateMs: 300, places: 2, does: 'uses it while it counts' },
  { lateMs: 700, places: 3, does: 'takes another one after that' },
])('a write that is $lateMs ms late for its place at 2/s $does', async ({ lateMs, places }) => {
  const { clock, memory, ports, writePlaces, run } = worldOf(1);
  let isLate = true;
  ports.clock.sleep = (ms, signal) => {
    const tooLongMs = isLate ? lateMs : 0;
    isLate = false;
    return clock.sleep(ms + tooLongMs, signal);
  };
  const own = writePlaces(2);
  const work = own.take().then(() => own.take());
  await run(work);

  expect(await work).toBe(true);
  expect(memory.read(CONNECTION).places?.othersTaken).toBe(places);
});

test.each([
  { requestsPerSecond: 10, afterMs: 70_000, isTaken: true },
  { requestsPerSecond: undefined, afterMs: 70_000, isTaken: true },
  { requestsPerSecond: 10, afterMs: 80_001, isTaken: false },
  { requestsPerSecond: undefined, afterMs: 80_001, isTaken: false },
])(
  'the next page of a check gets a place as long as a request may be sent: %j',
  async ({ requestsPerSecond, afterMs, isTaken }) => {
    const { clock, writePlaces, run } = worldOf(1);
    const places = writePlaces(requestsPerSecond, { blockedUntilMs: 0 }, 80);
    await run(places.take());
    const startedAtMs = clock.now();
    await run(clock.delay(afterMs));
    const later = places.take();
    await run(later);

    expect(await later).toBe(isTaken);
    expect(clock.now() - startedAtMs - afterMs).toBeLessThan(1_000);
  },
);

test.each([
  { perSecond: 0.04, isTaken: true },
  { perSecond: 0.03, isTaken: false },
])('a write waits for half a minute at most for its place, as at $perSecond/s', async (of) => {
  const { clock, writePlaces, run } = worldOf(1);
  const places = writePlaces(of.perSecond, { blockedUntilMs: 0 }, 100);
  await run(places.take());
  const startedAtMs = clock.now();
  const second = places.take();
  await run(second);

  expect(await second).toBe(of.isTaken);
  expect(clock.now() - startedAtMs).toBeLessThanOrEqual(30_000);
  expect(places.againAtMs() - clock.now()).toBeGreaterThanOrEqual(30_000);
});
