import type { GateOpenings } from '../gate/ports.ts';
import { isHeld } from '../steps/step-item.ts';
import { replaceItem } from '../steps/step-kind.ts';
import { announceMeanwhile } from './announce.ts';
import { type ExportRules, stateOf } from './begin-export.ts';
import { awaitsRemoval, cancelled, isLeaving, keptInstead, leftBehind } from './cancelled.ts';
import { endTurn } from './close-export.ts';
import type { Cancellation, ExportState } from './export-state.ts';
import { exportSteps, wakeUpOf } from './export-steps.ts';
import { type FoundExport, findExport } from './find-export.ts';
import type { ControlPorts } from './ports.ts';

export type CancelPorts = ControlPorts & {
  readonly gates: Pick<GateOpenings, 'stopExport'>;
};

interface CancelRequest extends Pick<Cancellation, 'by' | 'reason' | 'parts'> {
  readonly connection: string;
  readonly exportId: string;
}

export type Cancelled =
  | { readonly kind: 'cancelled'; readonly state: ExportState }
  /** It was cancelled before, with the same fate of its parts, or they were still to be removed and are kept now. */
  | { readonly kind: 'already-cancelled'; readonly state: ExportState }
  /** It is over, has all its pages and is being completed, or was cancelled and its parts are kept or removed by now. */
  | { readonly kind: 'too-late'; readonly state: ExportState }
  | { readonly kind: 'missing' };

/** A worker commits every few seconds at most; so many conflicts in a row are unlikely. */
const MAX_TRIES = 10;

/**
 * Ends an export because a person wants it to end: one that waits for its turn, is halted or runs. Its state changes
 * at once, so no commit of a worker counts any more, and nothing that says complete is written after it. A worker that
 * is at it learns of it from the gate, which it reads every second: no request leaves later than that after this call.
 * The next export of the connection begins when the worker has left. Safe to repeat, also with another reason: the
 * first one stays. Parts that were to be removed and still are not, such as where the bucket refuses deletes, can be kept
 * instead: the connection waits for them.
 *
 * After the end of the list it is too late, and nothing is written. What is left then needs no request, and a manifest
 * may be on its way. If a worker fails at it, the next one lets the other lists go on first (`claimState`).
 *
 * @throws What a port throws: ask again.
 */
export async function cancelExport(
  ports: CancelPorts,
  rules: ExportRules,
  request: CancelRequest,
): Promise<Cancelled> {
  const { connection, exportId } = request;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await findExport(ports.ledger, connection, exportId);
    if (found === undefined) return { kind: 'missing' };
    if (found.kind === 'begun') {
      const { state } = found;
      const before = state.cancellation;
      if (before !== undefined && before.parts === request.parts) {
        return { kind: 'already-cancelled', state: await settle(ports, rules, state) };
      }
      if (awaitsRemoval(state)) {
        const kept = await replaceItem(exportSteps(ports), state, keptInstead(state));
        if (kept === undefined) continue;
        return { kind: 'already-cancelled', state: await settle(ports, rules, kept) };
      }
      if (!isUnderWay(state)) return { kind: 'too-late', state };
    }
    const ended = await end(ports, rules, found, request);
    if (ended === undefined) continue;
    return { kind: 'cancelled', state: await settle(ports, rules, ended) };
  }
  throw new Error(`Export ${exportId} changed ${MAX_TRIES} times meanwhile. Ask again.`);
}

function isUnderWay({ status, end }: ExportState): boolean {
  return (status === 'running' || status === 'halted') && end === undefined;
}

/** @returns The stored state, or `undefined` when another process has written it since. */
async function end(
  ports: CancelPorts,
  rules: ExportRules,
  found: FoundExport,
  { by, reason, parts }: CancelRequest,
): Promise<ExportState | undefined> {
  const cancellation = { by, reason, parts, atMs: ports.clock.now() };
  if (found.kind === 'begun') {
    return replaceItem(exportSteps(ports), found.state, cancelled(found.state, cancellation));
  }
  // The item comes first: should its turn come before it has left the line, it is over. It never had a part.
  const { connection, ...entry } = found.queued;
  const waiting = stateOf(rules, connection, entry, ports.random.token());
  const ended = leftBehind(cancelled(waiting, cancellation), cancellation.atMs);
  const { kind } = await ports.ledger.writeExport(ended, undefined);
  return kind === 'written' ? ended : undefined;
}

/**
 * Does what follows from the end, as far as no worker is needed for it. Safe to repeat. Its event is told by the sweep
 * if the bus does not take it now.
 */
async function settle(
  ports: CancelPorts,
  rules: ExportRules,
  state: ExportState,
): Promise<ExportState> {
  const { connection, exportId, lease } = state;
  if (isHeld(state, ports.clock.now())) await ports.gates.stopExport(connection, exportId);
  await endTurn(ports, rules, state);
  if (isLeaving(state, ports.clock.now())) {
    // For a worker that crashes before it has left, and for parts that no worker removes by itself.
    await ports.queue.send(wakeUpOf(state), lease?.untilMs);
  }
  await announceMeanwhile(ports, state);
  return state;
}
