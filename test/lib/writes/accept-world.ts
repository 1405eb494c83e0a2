import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import type { NoKey, OpenKey } from '../../../lib/gate/ports.ts';
import type {
  EnterPorts,
  SweepPorts,
  WriteEvent,
  WritePointer,
} from '../../../lib/writes/ports.ts';
import type { OrderLine, WriteState } from '../../../lib/writes/write-state.ts';
import { MemoryWriteLedger } from '../../faults/writes/memory-write-ledger.ts';

const NO_KEY: NoKey = { kind: 'no-key', reason: 'missing', message: 'There is no secret.' };
const OPEN: OpenKey = { kind: 'open', keyVersion: 'v1', credential: 'v1/' };

/** Writes of the connection `acme` at rest, and what is sent and told while somebody looks after them. */
export function acceptWorld(writes: readonly WriteState[], line: readonly string[] = []) {
  const ledger = new MemoryWriteLedger();
  for (const state of writes) ledger.writeWrite(state, undefined);
  const orderLine: OrderLine = {
    ...{ v: 1, connection: 'acme', orderKey: 'o', writeToken: 'line', writeIds: line },
  };
  if (line.length > 0) ledger.writeLine(orderLine, undefined);
  const sent: WritePointer[] = [];
  const events: WriteEvent[] = [];
  const world = { nowMs: 0, blockedUntilMs: 0, hasKey: true, canSend: true, canBlock: true };
  let tokens = 0;
  const ports: EnterPorts & SweepPorts = {
    clock: { now: () => world.nowMs, sleep: async () => undefined },
    random: { token: () => `token-${++tokens}`, fraction: () => 0.5 },
    ledger: asynchronous(ledger),
    gates: {
      read: async () => ({ blockedUntilMs: world.blockedUntilMs, haltedKeyVersions: [] }),
      blockUntil: async (_, untilMs) => {
        if (!world.canBlock) throw new Error('DynamoDB is out of order');
        world.blockedUntilMs = Math.max(world.blockedUntilMs, untilMs);
        return true;
      },
    },
    queue: {
      send: async (pointer) => {
        if (!world.canSend) throw new Error('SQS is out of order');
        sent.push(pointer);
      },
    },
    events: { publish: async (event) => void events.push(event) },
    connections: { open: async () => (world.hasKey ? OPEN : NO_KEY) },
    holdsKey: () => false,
  };
  return { world, ledger, ports, sent, events };
}
