import { expect, test } from '@jest/globals';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import { checkEvent } from './check-event.ts';
import { checkCopy, checkReports, checkRequests } from './checks.ts';
import { EXPORT_ID, startIn } from './run-export.ts';
import { CONNECTION, World, type WorldOptions } from './world.ts';

const HOUR_MS = 3_600_000;
/** Longer than a message comes back. */
const OUT_MS = 12 * HOUR_MS;
const NEXT_ID = 'request-invoices';

const REFUSAL: ListOutcome = {
  kind: 'refused',
  reason: 'client-error',
  status: 404,
  message: 'There is no such list.',
};

/** Two lists of a connection whose event bus takes nothing for half a day. */
async function startBoth(options: WorldOptions = {}) {
  let isBack = false;
  const world = new World({
    ...{ customers: 125, lists: { invoices: 30 } },
    faults: (_call, name) => (name === 'publish' && !isBack ? 'throw-before' : undefined),
    ...options,
  });
  world.clock.at(world.clock.now() + OUT_MS, () => {
    isBack = true;
  });
  const passOut = () => passIn(world, OUT_MS - HOUR_MS);
  const passAfter = () => world.runUntil(() => isBack && world.isIdle(), true);
  await startIn(world);
  await startIn(world, NEXT_ID, 'invoices');
  return { world, passOut, passAfter };
}

async function passIn(world: World, ms: number, sweeps = true): Promise<void> {
  const endMs = world.clock.now() + ms;
  await world.runUntil(() => world.clock.now() >= endMs, sweeps);
}

function statusOf(world: World, exportId: string): string | undefined {
  return world.ledger.readExport(CONNECTION, exportId)?.status;
}

/** What was told of an export, each event once, in the order in which they came. */
function toldOf(world: World, exportId: string): readonly string[] {
  const own = world.events.filter((event) => event.exportId === exportId);
  for (const event of own) checkEvent(event);
  return [...new Map(own.map(({ id, kind }) => [id, kind])).values()];
}

/** Since the sweep tells what is untold, no message need become a dead letter. */
function checkNoneComesBack({ reports }: World): void {
  expect(reports.filter(({ answer }) => answer === 'retry')).toEqual([]);
  const told = reports.filter(({ facts }) => facts.eventProblem === 'Error');
  expect(told.map(({ error }) => error)).toContainEqual(new Error('publish is out of order'));
}

test.each<[string, WorldOptions]>([
  ['completed', {}],
  ['failed', { behaviour: ({ list }) => (list === 'customers' ? REFUSAL : undefined) }],
])(
  'an export that is %s holds up no other list while the bus takes nothing, and is told when it does',
  async (status, options) => {
    const { world, passOut, passAfter } = await startBoth(options);
    await passOut();

    expect([statusOf(world, EXPORT_ID), statusOf(world, NEXT_ID)]).toEqual([status, 'completed']);
    expect(world.ledger.lines.size).toBe(0);
    expect(world.events).toEqual([]);
    checkNoneComesBack(world);
    checkCopy(world, NEXT_ID);
    checkRequests(world);
    checkReports(world);

    await passAfter();
    expect(toldOf(world, EXPORT_ID)).toEqual([status]);
    expect(toldOf(world, NEXT_ID)).toEqual(['completed']);
    const states = [EXPORT_ID, NEXT_ID].map((id) => world.ledger.readExport(CONNECTION, id));
    expect(states).toMatchObject([{ unannounced: [] }, { unannounced: [] }]);
  },
);

test('starts and cancels are answered while the bus takes nothing', async () => {
  const { world, passOut, passAfter } = await startBoth({ latencyMs: 3_000 });
  const waiting = world.cancel(NEXT_ID, 'keep');
  await passIn(world, 1_000, false);
  const running = world.cancel(EXPORT_ID, 'remove');
  await passOut();
  const again = world.start(EXPORT_ID);
  await passIn(world, 1_000, false);
  const other = world.start('request-other');
  await passIn(world, 60_000, false);

  expect((await waiting).kind).toBe('cancelled');
  expect((await running).kind).toBe('cancelled');
  expect(world.ledger.readExport(CONNECTION, EXPORT_ID)).toMatchObject({
    cancellation: { removedAtMs: expect.any(Number) },
  });
  expect((await again).kind).toBe('over');
  expect((await other).kind).toBe('started');
  expect(statusOf(world, 'request-other')).toBe('completed');
  checkNoneComesBack(world);

  await passAfter();
  expect(toldOf(world, EXPORT_ID)).toEqual(['cancelled']);
  expect(toldOf(world, NEXT_ID)).toEqual(['cancelled']);
  expect(toldOf(world, 'request-other')).toEqual(['completed']);
});

test('an export goes on with its new key while the bus takes nothing, and its halt is told as it was', async () => {
  const { world, passOut, passAfter } = await startBoth({
    behaviour: ({ keyVersion, page }) =>
      keyVersion === 'v1' && page > 5 ? { kind: 'authentication-failure', status: 401 } : undefined,
    settings: { pagesInFlight: 1 },
  });
  await passIn(world, HOUR_MS / 2);
  expect(statusOf(world, EXPORT_ID)).toBe('halted');
  world.keyVersion = 'v2';
  await passOut();

  expect([statusOf(world, EXPORT_ID), statusOf(world, NEXT_ID)]).toEqual([
    'completed',
    'completed',
  ]);
  expect(world.events).toEqual([]);
  await passAfter();
  expect(toldOf(world, EXPORT_ID)).toEqual(['halted', 'completed']);
  expect(toldOf(world, NEXT_ID)).toEqual(['completed']);
  expect(world.events.find(({ kind }) => kind === 'halted')).toMatchObject({
    reasonCode: 'authentication-failure',
    pages: 5,
    customers: 50,
  });
});

test('a halt is told once the bus is back, though no message of it is left and no key came', async () => {
  const { world, passOut } = await startBoth({
    behaviour: () => ({ kind: 'authentication-failure', status: 401 }),
  });
  await passOut();
  expect(statusOf(world, EXPORT_ID)).toBe('halted');
  expect(world.events).toEqual([]);
  checkNoneComesBack(world);

  await passIn(world, 2 * HOUR_MS);
  expect(toldOf(world, EXPORT_ID)).toEqual(['halted']);
});

test('a halted export fails at its deadline and the next list begins, while the bus takes nothing', async () => {
  const { world, passOut, passAfter } = await startBoth({
    behaviour: ({ list }) =>
      list === 'customers' ? { kind: 'authentication-failure', status: 401 } : undefined,
    settings: { maxDurationSeconds: 7_200 },
  });
  await passIn(world, 7_200_000 - 60_000);
  world.keyVersion = undefined;
  await passOut();

  expect(statusOf(world, EXPORT_ID)).toBe('failed');
  // It has no key either.
  expect(statusOf(world, NEXT_ID)).toBe('failed');
  await passAfter();
  expect(toldOf(world, EXPORT_ID)).toEqual(['halted', 'failed']);
  expect(toldOf(world, NEXT_ID)).toEqual(['halted', 'failed']);
});
