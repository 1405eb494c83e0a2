import type { Gate } from '../gate/ports.ts';
import { groupBy } from '../group-by.ts';
import { COMMIT_RESERVE_MS, carryOutWrite, sendAgain, type WriteWork } from './carry-out-write.ts';
import type { WriteDecision } from './decide-write.ts';
import type { WritePorts } from './ports.ts';
import { guarded, missingReport, type WriteReport } from './write-report.ts';
import type { WriteSettings } from './write-settings.ts';
import { slotsFor, type WriteSlots } from './write-slots.ts';
import type { WriteState } from './write-state.ts';

export interface Ready {
  readonly decision: Extract<WriteDecision, { kind: 'ready' }>;
  readonly settings: WriteSettings;
  readonly gate: Gate;
}

/**
 * A slot that is missed by more is given up: several late requests at once are a burst, and the API may answer
 * with a wait of a second or more. Timers of a busy function are some milliseconds late.
 */
const MAX_LATE_MS = 100;

export interface Surroundings {
  readonly ports: WritePorts;
  readonly endsAtMs: number;
}

interface Shared extends Surroundings {
  readonly connection: string;
  readonly settings: WriteSettings;
  readonly latestAtMs: number;
  readonly wait: WriteWork['wait'];
}

/**
 * Reserves slots for all ready writes, one reservation per connection; then carries out each write in its slot.
 *
 * @returns A report for each look, in their order.
 */
export async function sendInSlots(
  around: Surroundings,
  looks: readonly (WriteReport | Ready)[],
): Promise<readonly WriteReport[]> {
  const ready = looks.flatMap((look) => ('result' in look ? [] : [look]));
  const reports = new Map<Ready, Promise<WriteReport>>();
  const byConnection = groupBy(ready, ({ decision }) => decision.state.connection);
  for (const [connection, writes] of byConnection) {
    const [first] = writes;
    if (first === undefined) continue;
    const { settings, gate } = first;
    const latestAtMs = around.endsAtMs - settings.requestTimeoutMs - COMMIT_RESERVE_MS;
    const shared = { ...around, connection, settings, latestAtMs, wait: { ...gate } };
    const count = writes.length;
    const slots = slotsFor(around.ports, { connection, settings, gate, count, latestAtMs });
    for (const [index, write] of writes.entries()) {
      const report = guarded(write.decision.state, () =>
        inItsSlot(shared, write.decision, slots, index),
      );
      reports.set(write, report);
    }
  }
  return Promise.all(
    looks.map((look) => ('result' in look ? look : (reports.get(look) ?? missingReport()))),
  );
}

async function inItsSlot(
  shared: Shared,
  decision: Ready['decision'],
  slots: Promise<WriteSlots>,
  index: number,
): Promise<WriteReport> {
  const { ports, settings, latestAtMs } = shared;
  const { atMs, againAtMs } = await slots;
  if (ports.clock.now() > latestAtMs) throw tooShort(settings);
  const slotAtMs = atMs[index];
  const work = workOf(shared);
  const isInTime = slotAtMs !== undefined && (await work.takeSlot(slotAtMs));
  return isInTime ? carryOutWrite(work, decision) : sendAgain(ports, decision.state, againAtMs);
}

/** There was no key when the write was claimed. It is not sent with one that came since, before it is bound to it. */
const NO_CREDENTIAL = 'none';

function workOf({ ports, endsAtMs, connection, settings, latestAtMs, wait }: Shared): WriteWork {
  const newSlot = async () => {
    const wanted = { connection, settings, gate: wait, count: 1, latestAtMs };
    return (await slotsFor(ports, wanted)).atMs[0];
  };
  const takeSlot = async (givenAtMs?: number) => {
    for (let atMs = givenAtMs ?? (await newSlot()); atMs !== undefined; atMs = await newSlot()) {
      await sleepUntil(ports, atMs);
      if (ports.clock.now() <= atMs + MAX_LATE_MS) return true;
    }
    return false;
  };
  const clientOf = ({ credential = NO_CREDENTIAL }: WriteState) =>
    ports.clients.of(connection, endsAtMs - COMMIT_RESERVE_MS, credential);
  return { ports, settings, clientOf, endsAtMs, wait, takeSlot };
}

function tooShort({ requestTimeoutMs }: WriteSettings): Error {
  return new Error(
    `The invocation has less time than one request may take (requestTimeoutMs, ${requestTimeoutMs}) and ${COMMIT_RESERVE_MS} ms for what follows it. Raise the function's timeout.`,
  );
}

async function sleepUntil({ clock }: WritePorts, atMs: number): Promise<void> {
  const restMs = atMs - clock.now();
  if (restMs > 0) await clock.sleep(restMs, new AbortController().signal);
}
