import { asynchronous, type MemoryGates } from '../../infra/command/try/memory-ledger.ts';
import type { GateOpenings, Gates } from '../../lib/gate/ports.ts';
import type { VirtualClock } from './virtual-clock.ts';
import type { WorkerClock } from './worker-clock.ts';

interface Gated {
  readonly clock: VirtualClock;
  readonly gates: MemoryGates;
  /** Gets what the gate was told, and when. */
  readonly blocks: { readonly atMs: number; readonly untilMs: number }[];
}

/** Ports of other things have methods of these names too. */
const NAMES = new Map([
  ['read', 'readGate'],
  ['open', 'openGate'],
]);

/** The gates as a worker calls them. */
export function calledGates(
  { clock, gates, blocks }: Gated,
  call: WorkerClock['call'],
): Gates & GateOpenings {
  return {
    ...asynchronous(gates, (name, effect) => call(NAMES.get(name) ?? name, effect)),
    blockUntil: (connection, untilMs, waitAsSent) =>
      call('blockUntil', () => {
        blocks.push({ atMs: clock.now(), untilMs });
        return gates.blockUntil(connection, untilMs, waitAsSent);
      }),
  };
}
