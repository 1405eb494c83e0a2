import { beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { manifestKey } from '../../lib/exports/store-objects.ts';
import { amountOf, DEPTH_TIMEOUT_MS, tried } from '../deep/depth.ts';
import { compareAlone } from './compare-alone.ts';
import { type Course, Fleet } from './fleet.ts';
import {
  BLOCKED_SECONDS,
  LIMITED_PER_SECOND,
  sampleConnections,
  type Temper,
} from './sample-fleet.ts';

const COUNT = amountOf({ short: 120, deep: 2_000 });
const BOUND = amountOf({ short: 3, deep: 50 });
const ALONE = amountOf({ short: 20, deep: 200 });
const NOISY_MESSAGES = amountOf({ short: 2_000, deep: 20_000 });
/** Waits are whole seconds, and a learned pace begins with a look at what the API allows. */
const MAX_UNEXPLAINED_MS = 5_000;

const connections = sampleConnections(COUNT);
const fleet = new Fleet({ connections, maxConcurrentExports: BOUND });
beforeAll(() => fleet.run(), DEPTH_TIMEOUT_MS);

const ManifestSchema = v.object({ totals: v.object({ pages: v.number() }) });

const coursesOf = (temper: Temper, of = fleet): readonly Course[] =>
  connections
    .filter((each) => each.temper === temper)
    .flatMap(({ name }) => of.courses.get(name) ?? []);

const most = (courses: readonly Course[], of: (course: Course) => number) =>
  courses.reduce((highest, course) => Math.max(highest, of(course)), 0);

test(`${COUNT.toLocaleString('en')} connections with 1 to 30 pages all complete, with every page`, () => {
  tried('connections', COUNT);
  for (const { name, pages } of connections) {
    const exportId = fleet.exportIdOf(name);
    expect(fleet.ledger.readExport(name, exportId)).toMatchObject({ status: 'completed' });
    const stored = fleet.store.read(manifestKey({ connection: name, list: 'customers', exportId }));
    const { totals } = v.parse(ManifestSchema, JSON.parse(stored?.text ?? 'null'));
    expect(totals.pages).toBe(pages);
  }
  expect(fleet.ledger.lines.size).toBe(0);
});

test('no more workers run at once than the bound, and all of them are made use of', () => {
  expect(fleet.mostAtOnce).toBe(BOUND);
});

test('whoever waits for its API has no worker, so nobody else waits for it', () => {
  expect(most(coursesOf('quiet'), ({ durationMs }) => durationMs)).toBeLessThan(
    (BLOCKED_SECONDS * 1000) / 10,
  );
  // Ten minutes of waiting take a few calls of work, and some care after them.
  expect(most(coursesOf('blocked'), ({ workMs }) => workMs)).toBeLessThan(10_000);
  for (const { durationMs } of coursesOf('blocked')) {
    expect(durationMs).toBeGreaterThanOrEqual(BLOCKED_SECONDS * 1000);
  }
});

test('a worker is free for a message as soon as the work of all others allows', () => {
  const all = [...fleet.courses.values()];
  const workMs = all.reduce((sum, course) => sum + course.workMs, 0);
  const longestMs = most(all, ({ workMs: own }) => own);

  expect(most(coursesOf('quiet'), ({ slotWaitMs }) => slotWaitMs)).toBeLessThan(
    workMs / BOUND + longestMs,
  );
});

test(
  'with the bound no connection takes longer than alone, but for its waits for a free worker',
  async () => {
    const sample = connections.filter((_, index) => index % 20 === 0);
    const comparisons = await compareAlone(sample, fleet.courses);
    for (const [index, { unexplainedMs }] of comparisons.entries()) {
      const { temper, pages } = sample[index] ?? {};
      // What is learned of a limit depends on when requests come: that may cost the ideal time once more.
      const learningMs = temper === 'limited' ? ((pages ?? 0) / LIMITED_PER_SECOND) * 1000 : 0;
      expect(unexplainedMs).toBeLessThan(learningMs + MAX_UNEXPLAINED_MS);
    }
  },
  DEPTH_TIMEOUT_MS,
);

test(
  'without the bound every connection takes exactly as long as alone',
  async () => {
    const some = sampleConnections(ALONE);
    const unbounded = new Fleet({ connections: some, maxConcurrentExports: 1_000 });
    await unbounded.run();

    for (const { aloneMs, amongOthersMs } of await compareAlone(some, unbounded.courses)) {
      expect(amongOthersMs).toBe(aloneMs);
    }
  },
  DEPTH_TIMEOUT_MS,
);

test(
  `a connection with ${NOISY_MESSAGES.toLocaleString('en')} messages takes no more than its share: the queue is fair between groups`,
  async () => {
    const bound = 5;
    // How long a learned pace keeps a worker depends on when its requests come, by more than the share that is tested.
    const some = sampleConnections(ALONE).filter(({ temper }) => temper !== 'limited');
    const noisy = some.find(({ temper }) => temper === 'blocked')?.name ?? '';
    const waitOfOthers = async (copies: number) => {
      const each = new Fleet({ connections: some, maxConcurrentExports: bound });
      each.disturb(noisy, copies);
      await each.run();
      const others = [...each.courses].filter(([name]) => name !== noisy);
      return most(
        others.map(([, course]) => course),
        ({ slotWaitMs }) => slotWaitMs,
      );
    };

    const aloneMs = await waitOfOthers(0);
    // One worker of the five, which it has whenever it has none: without fairness it were 6 times as long.
    expect(await waitOfOthers(NOISY_MESSAGES)).toBeLessThan(
      ((aloneMs * bound) / (bound - 1)) * 1.1,
    );
  },
  DEPTH_TIMEOUT_MS,
);
