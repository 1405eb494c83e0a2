import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { writeOf } from './operations.ts';
import { WriteWorld, type WriteWorldOptions } from './write-world.ts';

/** Longer than an effect can be late, so that whoever looks sees what there is. */
const LOOK_AFTER_MS = 60_000;

/**
 * Asks for the writes one after the other, half of them as messages, and runs until all are over. A person
 * settles what is left unclear by what the API shows, and gives up what was meant for another organization.
 */
export async function runWrites(
  options: WriteWorldOptions,
  asked: readonly RequestedWrite[],
  whileRunning: (world: WriteWorld) => void = () => undefined,
): Promise<WriteWorld> {
  const world = new WriteWorld(options);
  // What is to be removed or replaced is there.
  for (const { writeId, operation } of asked) {
    if (/^(remove|replace)/.test(operation)) world.api.records.set(`record-${writeId}`, 'before');
  }
  whileRunning(world);
  void askFor(world, asked);
  settleWhatIsUnclear(world, asked);
  await world.runUntil(() => asked.every(({ writeId }) => isOver(world, writeId)));
  // What is still on its way must change nothing.
  const untilMs = world.clock.now() + 20 * 60_000;
  await world.runUntil(() => world.clock.now() > untilMs);
  return world;
}

function isOver(world: WriteWorld, writeId: string): boolean {
  const state = world.stateOf(writeId);
  return state?.closed === true && state.status !== 'unclear';
}

/** Those without an order come as messages too, which may be delivered twice. */
async function askFor(world: WriteWorld, asked: readonly RequestedWrite[]): Promise<void> {
  for (const [index, request] of asked.entries()) {
    if (request.orderKey === undefined && index % 2 === 0) {
      world.queue.send({ kind: 'request', request });
    } else {
      await world.insist(() => world.accept(request));
    }
  }
}

function settleWhatIsUnclear(world: WriteWorld, asked: readonly RequestedWrite[]): void {
  const look = async (): Promise<void> => {
    world.queue.redrive();
    for (const { writeId } of asked) {
      const state = world.stateOf(writeId);
      if (state?.status !== 'unclear' || world.clock.now() < state.updatedAtMs + LOOK_AFTER_MS) {
        continue;
      }
      const isThere = world.api.effects.some((effect) => effect.writeId === writeId);
      const isForeign = state.reason?.code === 'organization-changed';
      const decision = isThere ? 'done' : isForeign ? 'drop' : 'retry';
      const { attempt } = state;
      await world.insist(() => world.settle({ writeId, attempt, decision, by: 'arn:person' }));
    }
    again();
  };
  const again = () => world.clock.at(world.clock.now() + LOOK_AFTER_MS, () => void look());
  again();
}

const NAMES = [
  'create-keyed',
  'create-keyed-checked',
  'create-checked',
  'replace-checked',
  'remove-checked',
  'create-bare',
];

/** One write of each kind, and a line of three. */
export function oneOfEach(): readonly RequestedWrite[] {
  return [
    ...NAMES.map((name) => writeOf(name, name)),
    writeOf('create-keyed', 'refused', { bad: true }),
    writeOf('create-checked', 'line-1', { orderKey: 'customer:1' }),
    writeOf('create-keyed', 'line-2', { orderKey: 'customer:1' }),
    writeOf('replace-checked', 'line-3', { orderKey: 'customer:1' }),
  ];
}

/** While they run: the key is revoked, and some time later there is another one. */
export function rotateKey(world: WriteWorld, random: () => number): void {
  const revokedAtMs = world.clock.now() + random() * 5_000;
  world.clock.at(revokedAtMs, () => void world.api.revoked.add('v1'));
  world.clock.at(revokedAtMs + random() * 20 * 60_000, () => {
    world.keyVersion = 'v2';
  });
}

/** Random ones, in up to two lines. */
export function someWrites(random: () => number): readonly RequestedWrite[] {
  const count = 4 + Math.floor(random() * 6);
  return Array.from({ length: count }, (_, index) => {
    const name = NAMES[Math.floor(random() * NAMES.length)] ?? 'create-bare';
    const orderKey = random() < 0.5 ? `line:${Math.floor(random() * 2)}` : undefined;
    return writeOf(name, `w${index}`, { orderKey, bad: random() < 0.1 });
  });
}
