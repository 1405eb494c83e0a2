import { isJsonObject } from '../../json/json-value.ts';
import type { Page } from '../outcome.ts';
import { idTexts, isSameText, placeAt, recordPlaces } from '../record-places.ts';
import { stepIn, withOrder } from './id-order.ts';
import type { VerifiedWalk } from './walk-schema.ts';

type DatedMember = VerifiedWalk['dated'][number];

/** By a word of the name: not `credit_limit`, `exchange_rate` or `edition_date`. */
const KINDS = [
  { kind: 'edited', pattern: /(?<![a-z])(?:last|date|time)*(?:updat|modif|chang|edit(?!ion|or))/ },
  { kind: 'created', pattern: /(?<![a-z])(?:last|date|time)*(?:creat(?!iv|or)|insert|regist)/ },
] as const;

/** Who did it: a number of nine digits can be an id. */
const WHO = /(?<![a-z])(?:by|id)(?![a-z])/;

/** An ISO date, with a time or without, as JSON. */
const DATE = /^"(?:\d{4}-\d\d-\d\d["T ]|\d{8}T\d{4})/;

/**
 * Seconds, milliseconds or microseconds since 1970. Those of before 1973-03-03 have fewer digits, as any number may have.
 */
const SECONDS = /^"?\d{9,10}(?:\d{3}){0,2}(?:\.\d+)?"?$/;

/** `registered_on`, `lastUpdate` or `created`: a `registration_number`, which an edit may change, can have as many digits. */
const WHEN =
  /(?<!up)date|time|stamp|(?<![a-z])(?:at|on|since|ts|m?s|unix|epoch|utc)(?![a-z])|(?:ed|last[^a-z]*[a-z]+)$/;

const MAX_MEMBERS = 4;
const MAX_NAME_CHARACTERS = 64;

/** The members of the first record that may be what the list is ordered by. */
export function datedMembersOf(page: Pick<Page, 'records'>): readonly DatedMember[] {
  const record: unknown = JSON.parse(page.records[0] ?? 'null');
  if (!isJsonObject(record)) return [];
  return Object.entries(record)
    .flatMap(([name, value]) => {
      if (name.length > MAX_NAME_CHARACTERS) return [];
      const words = name.replaceAll(/[A-Z](?=[a-z])/g, ' $&').toLowerCase();
      if (WHO.test(words) || !isTime(words, value)) return [];
      const kind = KINDS.find(({ pattern }) => pattern.test(words))?.kind;
      return kind === undefined ? [] : [{ name, kind, order: 'one', idOrder: 'one' } as const];
    })
    .slice(0, MAX_MEMBERS);
}

function isTime(words: string, value: unknown): boolean {
  const text = JSON.stringify(value);
  return DATE.test(text) || (SECONDS.test(text) && WHEN.test(words));
}

/**
 * Those by which the records of one more page are in order too. Records with the same time must be in order of their
 * ids: otherwise nothing tells that they keep it.
 */
export function orderedOn(
  members: readonly DatedMember[],
  page: Pick<Page, 'ndjson' | 'recordCount' | 'idKey'>,
): readonly DatedMember[] {
  if (members.length === 0) return members;
  const ids = recordPlaces(page.ndjson, page.recordCount, page.idKey);
  return members.flatMap((member) => {
    const after = extended(member, page, ids);
    return after.order !== 'none' && after.idOrder !== 'none' ? [after] : [];
  });
}

/**
 * By the last edit, oldest first, no two records may have the same time: an edited one could go between others with its
 * time, to a window that was answered before the one that it left.
 */
export function isTiedAtEnd({ kind, order, idOrder }: DatedMember): boolean {
  return kind === 'edited' && order === 'rising' && idOrder !== 'one';
}

/**
 * Those of which a check of the front shows all edits. Times are whole seconds or days: a record that was edited in the
 * one of the first row stands among those with the same time, perhaps behind the rows that are known. So the last known
 * row must have an earlier time than the first one.
 */
export function checkedBy(
  members: readonly DatedMember[],
  page: Pick<Page, 'ndjson' | 'recordCount'>,
  [firstKnown = 0, ...others]: readonly number[],
): readonly DatedMember[] {
  return members.filter((member) => {
    const { name, kind, order } = member;
    if (kind === 'created' || order !== 'falling') return !isTiedAtEnd(member);
    const times = idTexts(page.ndjson, page.recordCount, name);
    return times[firstKnown] !== times[others.at(-1) ?? firstKnown];
  });
}

function extended(
  member: DatedMember,
  { ndjson, recordCount }: Pick<Page, 'ndjson' | 'recordCount'>,
  ids: Uint32Array,
): DatedMember {
  const times = recordPlaces(ndjson, recordCount, member.name);
  let { order, idOrder } = member;
  for (let row = 0; row < recordCount; row++) {
    const time = placeAt(times, row);
    if (time.end === 0) order = 'none';
    if (row === 0) continue;
    const before = placeAt(times, row - 1);
    if (isSameText(ndjson, before, time)) {
      idOrder = withOrder(idOrder, stepIn(ndjson, placeAt(ids, row - 1), placeAt(ids, row)));
    } else order = withOrder(order, stepIn(ndjson, before, time));
  }
  return { ...member, order, idOrder };
}
