import type { Completeness, ExportState } from './export-state.ts';

/**
 * How far the copy can be trusted to be the whole list. Counts cannot prove it: with one customer
 * removed and one added between two pages all totals stay equal while a customer that was there all
 * the time slips past. So `complete` means that
 * all that the API told agrees, and the reasons say what that leaves open.
 *
 * - `drifted`: what the API told shows that the list changed while it was read, or contradicts itself.
 * - `unproven`: the API told no total that the copy could be compared with.
 */
export function completenessOf(state: ExportState): Completeness {
  const { walk, counters, firstTotal, end } = state;
  const { lastTotal } = walk;
  const signs = [...(end?.contradictions ?? [])];
  if (firstTotal !== undefined && lastTotal !== undefined && firstTotal !== lastTotal) {
    signs.push(`the total told was ${firstTotal} first and ${lastTotal} last`);
  }
  if (lastTotal !== undefined && lastTotal !== counters.customers) {
    signs.push(
      `${counters.customers} customers were received, but the total told last is ${lastTotal}`,
    );
  }
  if (signs.length > 0) {
    const reasons = signs.map((sign) => `The list changed while it was read: ${sign}.`);
    return { verdict: 'drifted', reasons: [...reasons, ...limits(state)] };
  }
  const ended = `The end of the list was told by ${end?.rules.join(', ') ?? 'nothing'}.`;
  if (firstTotal === undefined || lastTotal === undefined) {
    const uncounted = 'The API told no total, so the number of customers could not be compared.';
    return { verdict: 'unproven', reasons: [ended, uncounted, ...limits(state)] };
  }
  const agreed = `The total told first, the total told last and the customers received are all ${lastTotal}.`;
  return { verdict: 'complete', reasons: [ended, agreed, ...limits(state)] };
}

/** What no count can tell. A list of one page is one answer, so nothing can move between pages. */
function limits(state: ExportState): readonly string[] {
  const pages = state.counters.pages;
  if (pages <= 1) return [];
  return [
    `The ${pages} pages were read one after another: customers added, removed or reordered meanwhile can be missing or twice even when all counts agree.`,
  ];
}
