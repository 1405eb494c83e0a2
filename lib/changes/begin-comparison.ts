import { endOfInvocationMs, type Invocation, type Lease } from '../steps/step-item.ts';
import type { ChangeBase, ChangeState, ComparedExport } from './change-state.ts';
import { closeChanges, closeCompared, forgetComparison } from './close-changes.ts';
import { decideBegin, leftBy, overIn } from './comparison-line.ts';
import { changeLine, moveLine } from './move-line.ts';
import type { ChangePorts } from './ports.ts';

type BegunComparison =
  /** To be compared with `base`; it is the first of its list when that is `undefined`. No other worker does. */
  | { readonly kind: 'compare'; readonly base: ChangeBase | undefined; readonly lease: Lease }
  /** Another comparison of the list is under way, or its changes are being told. */
  | { readonly kind: 'wait'; readonly seconds: number }
  /** It was compared before. */
  | { readonly kind: 'done'; readonly state: ChangeState }
  /** A newer export was accepted, and its changes have those of this one in them. */
  | { readonly kind: 'overtaken' };

export async function beginComparison(
  ports: ChangePorts,
  told: ComparedExport,
  invocation: Invocation,
): Promise<BegunComparison> {
  const known = await ports.ledger.readChange(told.connection, told.exportId);
  if (known !== undefined && known.status !== 'outdated') {
    const state = await closeCompared(ports, known);
    if (state.status !== 'outdated') return { kind: 'done', state };
  }
  const nowMs = ports.clock.now();
  const lease = { owner: ports.random.token(), untilMs: endOfInvocationMs(invocation, nowMs) };
  const decision = await moveLine(
    ports,
    told,
    (line) => {
      // The line has it already: the answer to the write that put it there was lost.
      if (line?.comparing?.lease?.owner === lease.owner) {
        return { kind: 'begun', base: line.base } as const;
      }
      return decideBegin(line, told, lease, nowMs);
    },
    (decided) => (decided.kind === 'begin' ? decided.line : undefined),
  );
  if (decision.kind === 'overtaken') await forgetComparison(ports, told);
  if (decision.kind === 'wait') await passOverMissing(ports, told);
  if (decision.kind !== 'begin' && decision.kind !== 'begun') return decision;
  const { base } = decision;
  // Once another export is the base, nobody could tell any more that this one was accepted, and not superseded.
  const before = base && (await ports.ledger.readChange(told.connection, base.exportId));
  if (before !== undefined) await closeChanges(ports, before);
  return { kind: 'compare', base, lease };
}

/**
 * Lets the list go on where the changes that were being told are gone from the ledger, such as an item that nobody
 * could read and somebody deleted: nothing would ever end them. The item is there before the line names it.
 */
async function passOverMissing(ports: ChangePorts, told: ComparedExport): Promise<void> {
  const { connection, list } = told;
  const { publishing } = (await ports.ledger.readComparisonLine(connection, list)) ?? {};
  if (publishing === undefined) return;
  if ((await ports.ledger.readChange(connection, publishing)) !== undefined) return;
  await changeLine(ports, told, (line) =>
    line.publishing === publishing ? overIn(line, publishing) : undefined,
  );
}

/** Lets the next invocation go on with a comparison for which this one has no time. */
export async function leaveComparison(
  ports: ChangePorts,
  told: ComparedExport,
  { owner }: Lease,
): Promise<void> {
  const nowMs = ports.clock.now();
  await changeLine(ports, told, (line) => leftBy(line, owner, nowMs));
}
