import type { Gate } from '../gate/ports.ts';
import { groupBy } from '../group-by.ts';
import { COMMIT_RESERVE_MS, carryOutWrite, type WriteWork } from './carry-out-write.ts';
import type { WriteDecision } from './decide-write.ts';
import type { WritePorts } from './ports.ts';
import { sendAgain } from './store-try.ts';
import { WritePlaces } from './write-places.ts';
import { guarded, missingReport, type WriteReport } from './write-report.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteState } from './write-state.ts';

export interface Ready {
  readonly decision: Extract<WriteDecision, { kind: 'ready' }>;
  readonly settings: WriteSettings;
  readonly gate: Gate;
}

interface Surroundings {
  readonly ports: WritePorts;
  readonly endsAtMs: number;
}

interface Shared extends Surroundings {
  readonly connection: string;
  readonly settings: WriteSettings;
  readonly latestAtMs: number;
  readonly wait: WriteWork['wait'];
  readonly places: WritePlaces;
}

/**
 * Carries out each ready write in a place on its connection's schedule, if there is one in time.
 *
 * @returns A report for each look, in their order.
 */
export async function sendInPlaces(
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
    const wait = { ...gate, untoldUntilMs: 0 };
    const places = new WritePlaces(around.ports, { connection, settings, gate: wait, latestAtMs });
    const shared = { ...around, connection, settings, latestAtMs, wait, places };
    for (const write of writes) {
      const report = guarded(write.decision.state, () => inItsPlace(shared, write.decision));
      reports.set(write, report);
    }
  }
  return Promise.all(
    looks.map((look) => ('result' in look ? look : (reports.get(look) ?? missingReport()))),
  );
}

async function inItsPlace(shared: Shared, decision: Ready['decision']): Promise<WriteReport> {
  const { ports, settings, latestAtMs, places } = shared;
  if (ports.clock.now() > latestAtMs) throw tooShort(settings);
  return (await places.take())
    ? carryOutWrite(workOf(shared), decision)
    : sendAgain(ports, decision.state, places.againAtMs());
}

/** There was no key when the write was claimed. It is not sent with one that came since, before it is bound to it. */
const NO_CREDENTIAL = 'none';

function workOf({ ports, endsAtMs, connection, settings, wait, places }: Shared): WriteWork {
  const recordMs = () => endsAtMs - COMMIT_RESERVE_MS - ports.clock.now();
  const clientOf = ({ credential = NO_CREDENTIAL }: WriteState) =>
    ports.clients.of(connection, recordMs, credential, (untilMs) => {
      wait.untoldUntilMs = Math.max(wait.untoldUntilMs, untilMs);
    });
  const takePlace = () => places.take();
  return { ports, settings, clientOf, endsAtMs, wait, takePlace };
}

function tooShort({ requestTimeoutMs }: WriteSettings): Error {
  return new Error(
    `The invocation has less time than one request may take (requestTimeoutMs, ${requestTimeoutMs}) and ${COMMIT_RESERVE_MS} ms for what follows it. Raise the function's timeout.`,
  );
}
