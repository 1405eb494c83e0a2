import type { Page } from '../customers-api/outcome.ts';
import { idTexts } from '../customers-api/record-places.ts';
import { isJsonObject, parseJson } from '../json/json-value.ts';
import type { ReadHistory } from './read-history.ts';

export type IdMember =
  /** `isByRule`: an export finds it by itself. */
  | {
      readonly kind: 'found';
      readonly member: string;
      readonly isByRule: boolean;
      readonly type: 'text' | 'number' | 'both';
    }
  /** No member that could be one differs from record to record. */
  | { readonly kind: 'none' }
  | { readonly kind: 'no-records' };

/** Names that end like those of ids: `kundennr`, `customerNumber`, `ext_ref`. */
const LIKE_AN_ID = /(?:id|no|nr|num|number|key|code|guid|uuid|ref)$/i;
/** Records have some tens of members. */
const MAX_MEMBERS = 200;

/** The member of the usual names if it tells all records apart that came; else another one that does. */
export function idMemberOf(history: ReadHistory): IdMember {
  const pages = differentPages(history);
  const [first] = pages;
  if (first === undefined) return { kind: 'no-records' };
  if (tellsApart(pages, first.idKey)) return found(first.idKey, true, pages);
  const record = parseJson(first.records[0]);
  const names = isJsonObject(record) ? Object.keys(record).slice(0, MAX_MEMBERS) : [];
  const other = names.find((name) => LIKE_AN_ID.test(name) && tellsApart(pages, name));
  return other === undefined ? { kind: 'none' } : found(other, false, pages);
}

/** Of the compared size, each record once. */
function differentPages(history: ReadHistory): readonly Page[] {
  const byFingerprint = new Map<string, Page>();
  for (const { seen } of history.compared) {
    const { page } = seen;
    const isNew = page.recordCount > 0 && !byFingerprint.has(page.fingerprint);
    if (isNew) byFingerprint.set(page.fingerprint, page);
  }
  return [...byFingerprint.values()];
}

/** On each page for itself: a record may come on two pages of a list that moves. */
function tellsApart(pages: readonly Page[], name: string): boolean {
  return pages.every((page) => {
    const ids = idTexts(page.ndjson, page.recordCount, name);
    return ids.every((id) => id !== '') && new Set(ids).size === ids.length;
  });
}

function found(member: string, isByRule: boolean, pages: readonly Page[]): IdMember {
  const texts = pages.flatMap((page) => idTexts(page.ndjson, page.recordCount, member));
  const quoted = texts.filter((id) => id.startsWith('"')).length;
  const one = quoted === 0 ? 'number' : 'text';
  const type = quoted > 0 && quoted < texts.length ? 'both' : one;
  return { kind: 'found', member, isByRule, type };
}
