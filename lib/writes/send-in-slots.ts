import type { Gate } from '../gate/ports.ts';
import { COMMIT_RESERVE_MS, carryOutWrite, sendAgain, type WriteWork } from './carry-out-write.ts';
import type { WriteDecision } from './decide-write.ts';
import type { WritePorts } from './ports.ts';
import { guarded, type WriteReport } from './write-report.ts';
import type { WriteSettings } from './write-settings.ts';
import { slotsFor } from './write-slots.ts';

/** One write that may be sent as soon as it has a slot. */
export interface Ready {
  readonly decision: Extract<WriteDecision, { kind: 'ready' }>;
  readonly settings: WriteSettings;
  readonly gate: Gate;
}

/**
 * A slot that is missed by more is given up: several that are used late at once are a burst, which the API
 * may answer with a wait of a second or more. Timers of a busy function are some milliseconds late.
 */
const MAX_LATE_MS = 100;

export interface Surroundings {
  readonly ports: WritePorts;
  /** When the invocation ends. */
  readonly endsAtMs: number;
}

/** Slots for all that are ready, connection by connection; then each in its own time. */
export async function sendInSlots(
  around: Surroundings,
  looks: readonly (WriteReport | Ready)[],
): Promise<readonly WriteReport[]> {
  const reports = looks.map((look) => ('result' in look ? Promise.resolve(look) : undefined));
  const ready = looks.flatMap((look, place) => ('result' in look ? [] : [{ ...look, place }]));
  const byConnection = Map.groupBy(ready, ({ decision }) => decision.state.connection);
  for (const [connection, writes] of byConnection) {
    const [first] = writes;
    if (first === undefined) continue;
    const { settings, gate } = first;
    const wait = { ...gate };
    const latestAtMs = around.endsAtMs - settings.requestTimeoutMs - COMMIT_RESERVE_MS;
    const slots = slotsFor(around.ports, settings, connection, gate, writes.length, latestAtMs);
    writes.forEach((write, index) => {
      const { decision, place } = write;
      reports[place] = guarded(decision.state, async () => {
        const { atMs, againAtMs } = await slots;
        if (around.ports.clock.now() > latestAtMs) throw tooShort(settings);
        const slotAtMs = atMs[index];
        if (slotAtMs === undefined) return sendAgain(around.ports, decision.state, againAtMs);
        const work = workOf(around, write, latestAtMs, wait);
        return (await work.takeSlot(slotAtMs))
          ? carryOutWrite(work, decision)
          : sendAgain(around.ports, decision.state, againAtMs);
      });
    });
  }
  return Promise.all(reports.flatMap((report) => report ?? []));
}

function workOf(
  { ports, endsAtMs }: Surroundings,
  { settings, decision }: Ready,
  latestAtMs: number,
  wait: WriteWork['wait'],
): WriteWork {
  const { connection } = decision.state;
  const newSlot = async () => {
    const { atMs } = await slotsFor(ports, settings, connection, wait, 1, latestAtMs);
    return atMs[0];
  };
  const takeSlot = async (givenAtMs?: number) => {
    for (let atMs = givenAtMs ?? (await newSlot()); atMs !== undefined; atMs = await newSlot()) {
      await sleepUntil(ports, atMs);
      if (ports.clock.now() <= atMs + MAX_LATE_MS) return true;
    }
    return false;
  };
  const client = ports.clients.of(connection, endsAtMs - COMMIT_RESERVE_MS);
  return { ports, settings, client, endsAtMs, wait, takeSlot };
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
