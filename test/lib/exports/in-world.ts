import type { ExportPorts } from '../../../lib/exports/ports.ts';
import { Worker } from '../../faults/worker.ts';
import type { World } from '../../faults/world.ts';

/** Does it as a worker of an own world does, and lets time pass meanwhile. */
export async function inWorld(
  world: World,
  work: (ports: ExportPorts) => Promise<void>,
): Promise<void> {
  const worker = new Worker(world, 'w', 60_000);
  let isOver = false;
  void work(world.portsOf(worker)).then(() => {
    isOver = true;
  });
  await world.runUntil(() => isOver, false);
  worker.end();
}
