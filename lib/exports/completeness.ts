import type { EndRule } from '../customers-api/walk-state.ts';
import type { Completeness, ExportCounters, ExportState } from './export-state.ts';
import type { RecordIds } from './record-ids.ts';

/**
 * How far the copy can be trusted to be the whole list. Counts cannot prove it: if one customer is removed and
 * one is added between two pages, all totals stay equal, but a customer can be missed. So `complete` means that
 * everything the API reported agrees, and that no id came twice. The reasons say what remains open.
 *
 * - `drifted`: the API's totals show that the list changed during the export, or they contradict each other; or an id
 *   came twice.
 * - `unproven`: the API reported no total to compare with, or nothing tells whether equal customers are repeats.
 */
export function completenessOf(state: ExportState, ids: RecordIds): Completeness {
  const { walk, counters, firstTotal, end } = state;
  const { lastTotal } = walk;
  const open = [...withoutIds(ids, counters), ...limits(state, ids)];
  const signs = [...(end?.contradictions ?? [])];
  if (firstTotal !== undefined && lastTotal !== undefined && firstTotal !== lastTotal) {
    signs.push(`the reported total was ${firstTotal} at first and ${lastTotal} at the end`);
  }
  if (lastTotal !== undefined && lastTotal !== counters.customers) {
    signs.push(
      `${counters.customers} customers were received, but the last reported total is ${lastTotal}`,
    );
  }
  if (signs.length > 0 || ids.repeated > 0) {
    const reasons = signs.map((sign) => `The list changed while it was read: ${sign}.`);
    return { verdict: 'drifted', reasons: [...reasons, ...repeated(ids), ...open] };
  }
  const ended = [
    `Rules that ended the list: ${end?.rules.join(', ') ?? 'none'}.`,
    ...(end?.outweighed === undefined ? [] : [outweighs(end.outweighed)]),
  ];
  if (firstTotal === undefined || lastTotal === undefined) {
    const uncounted = 'The API reported no total to compare the number of customers with.';
    return { verdict: 'unproven', reasons: [...ended, uncounted, ...open] };
  }
  const agreed = `The first and the last reported total and the number of received customers are all ${lastTotal}.`;
  const verdict = ids.equal > 0 || ids.keys.length > 1 ? 'unproven' : 'complete';
  return { verdict, reasons: [...ended, agreed, ...open] };
}

function repeated({ keys, repeated: count, conflicts }: RecordIds): readonly string[] {
  if (count === 0) return [];
  const came = `${count} customers came with an id (${keys.join(', ')}) that had come before`;
  return [conflicts === undefined ? `${came}.` : `${came}, ${conflicts} of them changed.`];
}

/** What remains open where customers have no id, or another one than before. */
function withoutIds(
  { keys, missing, equal }: RecordIds,
  { customers }: ExportCounters,
): readonly string[] {
  const named = keys.join(', ');
  const reasons: string[] = [];
  if (missing > 0) {
    reasons.push(
      `${missing} of the ${customers} customers have no id (${named}), so that they are compared as a whole: one that came twice with a change in between is not noticed. Set idKey to the member that tells one customer from another.`,
    );
  }
  if (equal > 0) {
    reasons.push(`${equal} of them are equal to one that came before, and may be repeats.`);
  }
  if (keys.length > 1) {
    reasons.push(
      `idKey was changed while the export ran (${named}): a customer that came twice under both is not noticed.`,
    );
  }
  return reasons;
}

function outweighs(sign: EndRule): string {
  return `Every page said that more follow (${sign}), also the last one: the total and the number of pages, both reached, and the answer to the page after it outweigh that.`;
}

/** What counts cannot show. A list of one page is one answer, so no record can move between pages. */
function limits({ counters: { pages } }: ExportState, ids: RecordIds): readonly string[] {
  if (pages <= 1) return [];
  const orTwice = ids.missing > 0 ? ' or twice' : '';
  return [
    `The ${pages} pages were read one after another: customers added, removed or reordered meanwhile can be missing${orTwice} even when all counts agree.`,
  ];
}
