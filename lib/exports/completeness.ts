import type { EndRule } from '../customers-api/walk-state.ts';
import type { Completeness, ExportState } from './export-state.ts';

/**
 * How far the copy can be trusted to be the whole list. Counts cannot prove it: if one customer is removed and
 * one is added between two pages, all totals stay equal, but a customer can be missed. So `complete` means that
 * everything the API reported agrees. The reasons say what remains open.
 *
 * - `drifted`: the API's totals show that the list changed during the export, or they contradict each other.
 * - `unproven`: the API reported no total to compare with.
 */
export function completenessOf(state: ExportState): Completeness {
  const { walk, counters, firstTotal, end } = state;
  const { lastTotal } = walk;
  const signs = [...(end?.contradictions ?? [])];
  if (firstTotal !== undefined && lastTotal !== undefined && firstTotal !== lastTotal) {
    signs.push(`the reported total was ${firstTotal} at first and ${lastTotal} at the end`);
  }
  if (lastTotal !== undefined && lastTotal !== counters.customers) {
    signs.push(
      `${counters.customers} customers were received, but the last reported total is ${lastTotal}`,
    );
  }
  if (signs.length > 0) {
    const reasons = signs.map((sign) => `The list changed while it was read: ${sign}.`);
    return { verdict: 'drifted', reasons: [...reasons, ...limits(state)] };
  }
  const ended = [
    `Rules that ended the list: ${end?.rules.join(', ') ?? 'none'}.`,
    ...(end?.outweighed === undefined ? [] : [outweighs(end.outweighed)]),
  ];
  if (firstTotal === undefined || lastTotal === undefined) {
    const uncounted = 'The API reported no total to compare the number of customers with.';
    return { verdict: 'unproven', reasons: [...ended, uncounted, ...limits(state)] };
  }
  const agreed = `The first and the last reported total and the number of received customers are all ${lastTotal}.`;
  return { verdict: 'complete', reasons: [...ended, agreed, ...limits(state)] };
}

function outweighs(sign: EndRule): string {
  return `Every page said that more follow (${sign}), also the last one: the total and the number of pages, both reached, and the answer to the page after it outweigh that.`;
}

/** What counts cannot show. A list of one page is one answer, so no record can move between pages. */
function limits(state: ExportState): readonly string[] {
  const pages = state.counters.pages;
  if (pages <= 1) return [];
  return [
    `The ${pages} pages were read one after another: customers added, removed or reordered meanwhile can be missing or twice even when all counts agree.`,
  ];
}
