import { World, type WorldOptions } from './world.ts';

export const EXPORT_ID = 'request-0123456789';

/**
 * Starts an export, again if the start itself goes wrong, and runs it until it is over.
 *
 * @param sweeps Whether the sweep may help.
 */
export async function runExport(options: WorldOptions, sweeps = true): Promise<World> {
  const world = new World(options);
  await startIn(world);
  await world.runUntil(() => isOver(world), sweeps);
  return world;
}

/** As whoever calls would: delivers the trigger again until it was answered. */
export async function startIn(
  world: World,
  exportId = EXPORT_ID,
  list = 'customers',
): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const start = world.start(exportId, list);
    let isSettled = false;
    const answered = start.then(
      () => true,
      () => false,
    );
    void answered.then(() => {
      isSettled = true;
    });
    await world.runUntil(() => isSettled, false);
    if (await answered) return;
  }
  throw new Error('The export could not be started.');
}

export function isOver(world: World, exportId = EXPORT_ID): boolean {
  const status = world.statusOf(exportId);
  return (status === 'completed' || status === 'failed') && world.isIdle();
}
