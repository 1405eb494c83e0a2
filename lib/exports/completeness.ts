import type { EndRule } from '../customers-api/walks/list-walk-schema.ts';
import type { WalkProof } from '../customers-api/walks/taken.ts';
import { defined } from '../defined.ts';
import type { Completeness, EndedExport } from './export-state.ts';
import type { RecordIds } from './manifest.ts';
import { isLeftTwice, whyLeft } from './why-left.ts';

/**
 * How far the copy can be trusted to be the whole list: whether it is shown that nothing is missing that was there from
 * the first request to the last. Counts cannot show it: if one customer is removed and one is added between two pages,
 * all totals stay equal, but a record can be missed. The walk can, see `WalkProof` and docs/walks.md. The reasons say
 * how, or what stands against it and which setting helps.
 *
 * - `complete`: it is shown.
 * - `drifted`: it is not, and the list changed while it was read, or the API contradicts itself.
 * - `unproven`: it is not, and nothing shows that the list changed.
 *
 * @param state Of an export whose repeats are settled.
 */
export function completenessOf(state: EndedExport, ids: RecordIds): Completeness {
  const { proof, rules, outweighed } = state.end;
  const ended = [
    `Rules that ended the list: ${rules.join(', ')}.`,
    ...(outweighed === undefined ? [] : [outweighs(outweighed)]),
  ];
  const against = [...contradictions(state, proof), ...repeatsAgainst(state, ids, proof)];
  const seen = [...changes(state, proof), ...repeats(state, ids, proof)];
  const isToldApart = ids.missing === 0 || proof.by === 'one-answer';
  const isShown = proof.by !== undefined && proof.open.length === 0 && isToldApart;
  if (isShown && against.length === 0) {
    return { verdict: 'complete', reasons: [...ended, shownBy(proof.by, state, proof), ...seen] };
  }
  const hasChanged = against.length > 0 || seen.length > 0;
  const reasons = [...against, ...proof.open, ...seen, ...doubts(state, ids), ...ended];
  return { verdict: hasChanged ? 'drifted' : 'unproven', reasons };
}

type ShownBy = NonNullable<WalkProof['by']>;

/** What the API says and what came do not fit. */
function contradictions(
  { end, keyVersions, counters: { customers } }: EndedExport,
  { kind, lastTotal = customers, leastRecords }: WalkProof,
): readonly string[] {
  const told = end.contradictions.map((sign) => `The list changed while it was read: ${sign}.`);
  const isOther = kind === 'fast' && customers !== lastTotal;
  // Some were removed meanwhile, as in any list that moves. But with several keys they may be of another organization
  // that passed for the same one.
  const isMore = keyVersions.length > 1 && customers > lastTotal;
  const isShort = leastRecords !== undefined && customers < leastRecords;
  if (!isOther && !isMore && !isShort) return told;
  const total = isShort ? leastRecords : lastTotal;
  const isOfPass = isShort && leastRecords > lastTotal;
  const most = isOfPass
    ? `but a pass had or told of ${total}`
    : `but the last reported total is ${total}`;
  return [
    ...told,
    `The list changed while it was read: ${customers} different records were received, ${most}.`,
  ];
}

/** What came twice and stands against the proof. */
function repeatsAgainst(state: EndedExport, ids: RecordIds, proof: WalkProof): readonly string[] {
  if (ids.repeated === 0) return [];
  const left = whyLeft(state, state.counters.customers + ids.leftOut, {
    ids: ids.repeated,
    ...defined({ conflicts: ids.conflicts }),
  });
  const named = ids.keys.join(', ');
  if (left === 'too-many') {
    return [
      `${ids.repeated} records came with an id (${named}) that had come before, too many to store each once: all are in the parts. Check whether ${named} tells one record from another (idKey), and whether the API gives its pages an order.`,
    ];
  }
  if (left === 'conflicts') {
    return [
      `${ids.conflicts} records came with an id (${named}) that another record has: so ${named} does not tell one record from another, and all are in the parts. Set idKey to the member that does.`,
    ];
  }
  if ((ids.moved ?? 0) === 0 || isReadAgain(proof)) return [];
  const isLeft = (ids.conflicts ?? 0) > 0 && isLeftTwice(state);
  return [
    `${ids.moved} records came at two places that no change of theirs explains: the API orders its pages otherwise each time, or by something that changes, so others can be missing. Ask the API for an order by id, by query.${isLeft ? leftTwice(named) : ''}`,
  ];
}

function leftTwice(named: string): string {
  return ` Or ${named} does not tell one record from another: those with another text are all in the parts. Set idKey to the member that does.`;
}

function changes({ firstTotal }: EndedExport, { counts, lastTotal }: WalkProof): readonly string[] {
  const seen: string[] = [];
  if (firstTotal !== undefined && lastTotal !== undefined && firstTotal !== lastTotal) {
    seen.push(
      `The list changed while it was read: the reported total was ${firstTotal} at first and ${lastTotal} at the end.`,
    );
  }
  if (counts.recovered > 0) {
    seen.push(
      `The list changed while it was read: ${counts.recovered} records had moved to pages that were read already, and were recovered.`,
    );
  }
  if (counts.gaps > 0) {
    seen.push(
      `The list changed while it was read: ${counts.gaps} times neighbouring pages shared no record, and what lies between was read again.`,
    );
  }
  return seen;
}

/** A list that is read in several passes gives each customer as often. */
function isReadAgain({ kind, counts }: WalkProof): boolean {
  return kind === 'verified' && counts.passes > 0;
}

function repeats(
  state: EndedExport,
  { keys, repeated, conflicts = 0, moved = 0, leftOut }: RecordIds,
  proof: WalkProof,
): readonly string[] {
  if (repeated === 0 || (conflicts === 0 && isReadAgain(proof))) return [];
  const named = keys.join(', ');
  if (proof.by === 'one-answer') {
    return [
      `${repeated} records have an id (${named}) that another one of the same answer has: all are in the parts. Set idKey to the member that tells one record from another.`,
    ];
  }
  const areLeft = conflicts > 0 && moved > 0 && isLeftTwice(state);
  const but = areLeft ? ', but for another text at a place that no edit explains' : '';
  const stored = leftOut === 0 ? '' : ` The newest of each is stored${but}.`;
  return [
    `${repeated} records came with an id (${named}) that had come before, ${conflicts} of them changed.${stored}`,
  ];
}

/** What else remains open where nothing is shown. */
function doubts(
  { counters: { customers, pages } }: EndedExport,
  { keys, missing, equal }: RecordIds,
): readonly string[] {
  if (pages <= 1) return [];
  const named = keys.join(', ');
  const reasons: string[] = [];
  if (missing > 0) {
    reasons.push(
      `${missing} of the ${customers} records have no id (${named}), so that they are compared as a whole: one that came twice with a change in between is not noticed. Set idKey to the member that tells one record from another.`,
    );
  }
  if (equal > 0) {
    reasons.push(`${equal} of them are equal to one that came before, and may be repeats.`);
  }
  return reasons;
}

function outweighs(sign: EndRule): string {
  return `Every page said that more follow (${sign}), also the last one: the total and the number of pages, both reached, and the answer to the page after it outweigh that.`;
}

function shownBy(by: ShownBy, { counters: { pages } }: EndedExport, { order }: WalkProof): string {
  const nothing = 'none is missing that was there from the first request to the last';
  switch (by) {
    case 'one-answer':
      return 'One answer held the whole list.';
    case 'chain':
      return `The ${pages} pages share records with those before them, from the first record to the last (order: ${order}): ${nothing}.`;
    case 'backward':
      return `The pages were read from the last to the first, each after the one behind it, and then the end again, with rising ids: as records are only added at the end (order: appended, as it is set), ${nothing}.`;
    case 'equal-passes':
      return `The list was read again and again until two passes were equal: ${nothing}, if none came back that was removed meanwhile.`;
  }
}
