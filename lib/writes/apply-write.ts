import type { Gate } from '../gate/ports.ts';
import { endOfInvocationMs, type Invocation } from '../steps/step-item.ts';
import { meaningOf } from '../steps/step-kind.ts';
import { credentialFor, enterWrite } from './accept-write.ts';
import { decideWrite, isRepeat } from './decide-write.ts';
import { isFirstInLine, isOrdered } from './order-line.ts';
import type { WriteName, WritePorts } from './ports.ts';
import { type Ready, sendInPlaces } from './send-in-places.ts';
import { leaveWrite } from './store-try.ts';
import { tellUntoldWait } from './untold-wait.ts';
import {
  guarded,
  missingReport,
  repeatedReport,
  reportWithout,
  type WriteReport,
  writeReport,
} from './write-report.ts';
import { fingerprintOf, type RequestedWrite, type WriteMessage } from './write-request.ts';
import type { WriteSettings } from './write-settings.ts';
import type { WriteState } from './write-state.ts';
import { WRITE_MEANING } from './write-steps.ts';

interface Batch {
  readonly ports: WritePorts;
  readonly settingsOf: (message: WriteMessage) => WriteSettings | undefined;
  readonly gateOf: (connection: string) => Promise<Gate>;
}

/**
 * Handles the messages of one invocation concurrently. Each write takes its own place under the connection's limit.
 *
 * @param settingsOf Returns `undefined` for a message whose connection no longer exists.
 * @returns A report for each message, in their order. An outage of a port is reported as `error`, not thrown.
 */
export async function applyWrites(
  ports: WritePorts,
  settingsOf: (message: WriteMessage) => WriteSettings | undefined,
  messages: readonly WriteMessage[],
  invocation: Invocation,
): Promise<readonly WriteReport[]> {
  const gates = new Map<string, Promise<Gate>>();
  const gateOf = (connection: string) => {
    const gate = gates.get(connection) ?? ports.gates.read(connection);
    gates.set(connection, gate);
    return gate;
  };
  const batch = { ports, settingsOf, gateOf };

  // One after the other, since messages with an orderKey join their line in the order of the messages.
  const looks: Promise<WriteReport | Ready>[] = [];
  const byAsked = new Map<string, number>();
  const places: number[] = [];
  for (const message of messages) {
    const asked = askedFor(message);
    const place = byAsked.get(asked) ?? looks.length;
    byAsked.set(asked, place);
    places.push(place);
    if (place < looks.length) continue;
    const look = guarded(nameOf(message), () => lookAt(batch, message));
    if (message.kind === 'request' && message.request.orderKey !== undefined) await look;
    looks.push(look);
  }
  const looked = await Promise.all(looks);
  // The ledger was read by now, and our clock set right by its answers.
  const endsAtMs = endOfInvocationMs(invocation, ports.clock.now());
  const reports = await sendInPlaces({ ports, endsAtMs }, looked);
  return places.map((place, index) => {
    const report = reports[place] ?? missingReport();
    return places.indexOf(place) === index ? report : repeatedReport(report);
  });
}

/** Accepts a whole request, and decides what a message means. */
async function lookAt(batch: Batch, message: WriteMessage): Promise<WriteReport | Ready> {
  const name = nameOf(message);
  const settings = batch.settingsOf(message);
  if (settings === undefined) {
    const reason = `There is no connection ${name.connection}. Declare it, or send the write to another one.`;
    return reportWithout('reject', 'unknown-connection', name, reason);
  }
  if (message.kind === 'pointer') {
    const { attempt } = message.pointer;
    const state = await batch.ports.ledger.readWrite(name.connection, name.writeId);
    return lookAtWrite(batch, { settings, name, attempt }, state);
  }
  const entered = await enter(batch.ports, settings, message.request);
  if ('result' in entered) return entered;
  return lookAtWrite(batch, { settings, name, attempt: 0 }, entered);
}

async function enter(
  ports: WritePorts,
  settings: WriteSettings,
  request: RequestedWrite,
): Promise<WriteState | WriteReport> {
  const entered = await enterWrite(ports, settings, request);
  switch (entered.kind) {
    case 'accepted':
    case 'joined':
      return entered.state;
    case 'conflict':
      return reportWithout(
        'reject',
        'conflict',
        request,
        `Another write has the id ${request.writeId}: operation, params, body or orderKey differ. Nothing of it changed. Choose another id.`,
      );
    case 'invalid':
    case 'key-in-request':
      return reportWithout('reject', entered.kind, request, entered.message);
    case 'line-full':
      return reportWithout('retry', 'line-full', request, entered.message);
  }
}

async function lookAtWrite(
  { ports, gateOf }: Batch,
  { settings, name, attempt }: { settings: WriteSettings; name: WriteName; attempt: number },
  state: WriteState | undefined,
): Promise<WriteReport | Ready> {
  const gate = await gateOf(name.connection);
  const nowMs = ports.clock.now();
  const meaning = meaningOf(WRITE_MEANING, state, attempt, nowMs);
  const isInDoubt = meaning.kind === 'open' && isRepeat(meaning.state);
  const credential = isInDoubt ? await credentialFor(ports, meaning.state) : undefined;
  const decision = decideWrite(meaning, gate, { nowMs, credential }, settings);
  const mayCome = decision.kind === 'early' || decision.kind === 'ready';
  // A write that waits in line sends itself no messages.
  if (mayCome && isOrdered(decision.state) && !(await isFirstInLine(ports, decision.state))) {
    return writeReport('acknowledge', 'waits-in-line', decision.state);
  }
  if (decision.kind === 'early') {
    await tellUntoldWait(ports, decision.state, gate).catch(() => undefined);
  }
  return decision.kind === 'ready'
    ? { decision, settings, gate }
    : leaveWrite(ports, name, decision, nowMs);
}

function nameOf(message: WriteMessage): WriteName {
  return message.kind === 'request' ? message.request : message.pointer;
}

/** Equal for messages with the same request. */
function askedFor(message: WriteMessage): string {
  const { connection, writeId } = nameOf(message);
  const what =
    message.kind === 'request' ? fingerprintOf(message.request) : message.pointer.attempt;
  return `${connection} ${writeId} ${what}`;
}
