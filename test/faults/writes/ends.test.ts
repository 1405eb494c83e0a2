import { expect, test } from '@jest/globals';
import type { MetricValues } from '../../../functions/log/metrics.ts';
import { writeMetrics } from '../../../functions/services/metric-values.ts';
import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { OPERATIONS, writeOf } from './operations.ts';
import { WriteWorld, type WriteWorldOptions } from './write-world.ts';

const settings = { operations: OPERATIONS };
const TROUBLED = { errorAfterEffect: 1, errorBeforeEffect: 0, lateEffect: 0, lateMs: 0 };

/** All that was counted of the ends of writes. */
const countsOf = (world: WriteWorld, metric: keyof MetricValues) =>
  world.reports.flatMap((report) => writeMetrics(report)[metric] ?? []);

test.each<[string, RequestedWrite, WriteWorldOptions['api'], keyof MetricValues]>([
  ['done', writeOf('create-bare', 'w', { orderKey: 'one' }), {}, 'WritesDone'],
  ['refused', writeOf('create-bare', 'w', { bad: true, orderKey: 'one' }), {}, 'WritesRefused'],
  [
    'unclear',
    writeOf('create-bare', 'w'),
    { troubles: { ...TROUBLED, untilMs: Number.POSITIVE_INFINITY } },
    'WritesUnclear',
  ],
])(
  'that a write is %s is counted once, whichever call after that throws',
  async (status, asked, api = {}, metric) => {
    for (const name of ['publish', 'writeWrite', 'readLine', 'writeLine']) {
      for (const fault of ['throw-before', 'throw-after'] as const) {
        let isThrown = false;
        const world: WriteWorld = new WriteWorld({
          settings,
          api,
          faults: (_, called) => {
            const isNow = !isThrown && called === name && world.stateOf('w')?.status === status;
            isThrown ||= isNow;
            return isNow ? fault : undefined;
          },
        });
        void world.insist(() => world.accept(asked));
        const endMs = world.clock.now() + 3_600_000;
        await world.runUntil(() => world.clock.now() > endMs);

        expect(world.stateOf('w')).toMatchObject({ status, closed: true });
        expect({ name, fault, counted: countsOf(world, metric) }).toEqual({
          name,
          fault,
          counted: [1],
        });
      }
    }
  },
);

test('a write that is asked for twice at once is counted once', async () => {
  const world = new WriteWorld({ settings });
  const message = { kind: 'request', request: writeOf('create-bare', 'w') } as const;
  world.queue.send(message);
  world.queue.send(message);
  await world.runUntil(() => world.reports.length === 2);

  expect(world.reports.map(({ result, answer }) => [result, answer])).toEqual([
    ['done', 'acknowledge'],
    ['past', 'acknowledge'],
  ]);
  expect(countsOf(world, 'WritesDone')).toEqual([1]);
});
