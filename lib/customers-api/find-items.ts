import {
  firstElementKind,
  type JsonText,
  kindAt,
  type Member,
  membersOf,
  type Span,
} from '../json/json-text.ts';
import { wordOf } from './list-evidence.ts';

/** Where a body holds its records and its `meta` block. */
export type FoundItems =
  | { readonly kind: 'found'; readonly items: Span; readonly meta: Span | undefined }
  | { readonly kind: 'missing'; readonly names: readonly string[] }
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  /** An object that would have to be searched has more than {@link MAX_MEMBERS_SEARCHED} members. */
  | { readonly kind: 'too-many-members' };

/** What is around a list has ten or twenty members; an object with more than this is no envelope. */
export const MAX_MEMBERS_SEARCHED = 1_000;

/** Member names under which APIs put the records of any list. */
const USUAL_NAMES = [
  'data',
  'items',
  'results',
  'records',
  'list',
  'rows',
  'entries',
  'content',
  'values',
  'objects',
  'collection',
  'elements',
];

/** Names of a list in OData, Mongoose and API Platform: found without records too, where nothing else is a list. */
const RARE_NAMES = ['value', 'docs', 'member', 'hydra:member'];

const NEVER_ITEMS = [
  'errors',
  'warnings',
  'messages',
  'links',
  'included',
  'details',
  'facets',
  'meta',
];

/** Whether an array of this name accompanies a list and is never one. */
export function isNeverItems(name: string): boolean {
  return NEVER_ITEMS.includes(wordOf(name));
}

const META_NAMES = ['meta', 'pagination', 'paging', 'pageinfo', 'paginator'];

/**
 * Finds the array of records: where `itemsKey` says; else, next to `meta`, under the resource's name,
 * under a usual name, or as the only array; else the same one level deeper (`{"data":{"customers":[]}}`).
 * A body that is an array is itself the list; one of HAL without `_embedded` has no records.
 *
 * @param resource For example `customers`; of a path the last segment counts.
 * @param itemsKey Member names joined by dots, from the root.
 */
export function findItems(
  text: JsonText,
  root: Span,
  resource: string,
  itemsKey: string | undefined,
): FoundItems {
  const { bytes } = text;
  const kind = kindAt(bytes, root.start);
  if (kind === 'array' && itemsKey === undefined)
    return { kind: 'found', items: root, meta: undefined };
  if (kind !== 'object') return { kind: 'missing', names: [] };
  const found =
    itemsKey === undefined ? byRule(text, root, resource) : atPath(text, root, itemsKey);
  if (found.kind !== 'missing' || !isEmptyHal(text, root)) return found;
  return { kind: 'found', items: { start: root.end, end: root.end }, meta: undefined };
}

function byRule(text: JsonText, root: Span, resource: string): FoundItems {
  const members = searched(text, root);
  if (members === undefined) return { kind: 'too-many-members' };
  const here = among(text.bytes, members, { resource });
  if (here.kind !== 'missing') return here;
  // Around an empty list may be the only list of objects that is none of records, as in the search of API Platform.
  const empty = emptyList(text, members, resource);
  const sought = { resource, isNamed: empty !== undefined };
  return oneLevelDeeper(text, members, sought) ?? empty ?? here;
}

/** Without records and under a rare name, at the root. With records it is found as the only list of objects. */
function emptyList(
  { bytes }: JsonText,
  members: readonly SearchedMember[],
  resource: string,
): FoundItems | undefined {
  const [items, ...others] = members.filter(({ word }) => RARE_NAMES.includes(word));
  const isOnly = others.length === 0 && !members.some(({ word }) => word === wordIn(resource));
  if (items?.kind !== 'array' || !isOnly) return undefined;
  const isEmpty = firstElementKind(bytes, items) === undefined;
  return isEmpty ? { kind: 'found', items, meta: metaOf(members) } : undefined;
}

/** Of a path the last segment counts. */
function wordIn(resource: string): string {
  return wordOf(resource.split('/').at(-1) ?? resource);
}

/** Of a page without records Spring HATEOAS writes its links and its counts, and nothing else. */
function isEmptyHal(text: JsonText, root: Span): boolean {
  const members = searched(text, root) ?? [];
  const names = members.map(({ name }) => name).sort();
  return names.join() === '_links,page' && members.every((each) => each.kind === 'object');
}

interface Sought {
  readonly resource: string;
  /** Whether it is believed by its name alone, and not as the only list of objects. @default false */
  readonly isNamed?: boolean;
}

/** Blocks around no list: those of counts, and of links, in which HAL has `curies`. */
const NEVER_AROUND = [...META_NAMES, 'links'];

/** `undefined` when there is nothing that could be the list. */
function oneLevelDeeper(
  text: JsonText,
  members: readonly SearchedMember[],
  sought: Sought,
): FoundItems | undefined {
  const deeper: FoundItems[] = [];
  for (const member of members) {
    if (member.kind !== 'object' || NEVER_AROUND.includes(member.word)) continue;
    const inner = searched(text, member);
    if (inner === undefined) return { kind: 'too-many-members' };
    const found = among(text.bytes, inner, sought, `${member.name}.`);
    if (found.kind === 'missing') continue;
    deeper.push(withMeta(found, metaOf(inner) ?? metaOf(members)));
  }
  const [only] = deeper;
  return deeper.length > 1 ? ambiguous(deeper.flatMap(namesIn)) : only;
}

interface SearchedMember extends Member {
  /** Of the name: see {@link wordOf}. */
  readonly word: string;
}

/** The members of an object, unless they are too many. */
function searched(text: JsonText, object: Span): readonly SearchedMember[] | undefined {
  const members: SearchedMember[] = [];
  for (const member of membersOf(text, object.start)) {
    if (members.length === MAX_MEMBERS_SEARCHED) return undefined;
    members.push({ ...member, word: wordOf(member.name) });
  }
  return members;
}

function among(
  bytes: Uint8Array,
  members: readonly SearchedMember[],
  { resource, isNamed = false }: Sought,
  prefix = '',
): FoundItems {
  const arrays = members.filter((member) => member.kind === 'array');
  const meta = metaOf(members);
  const pick = (candidates: readonly Member[]): FoundItems | undefined => {
    const [only] = candidates;
    if (only === undefined) return undefined;
    if (candidates.length > 1) return ambiguous(candidates.map((each) => prefix + each.name));
    return { kind: 'found', items: only, meta };
  };
  const resourceWord = wordIn(resource);
  const missing: FoundItems = { kind: 'missing', names: members.map((each) => prefix + each.name) };
  const named = members.filter((each) => each.word === resourceWord);
  // A member with the resource's name that is no list leaves no room for guesses beside it.
  if (named.length > 0 && named.every((each) => each.kind !== 'array')) return missing;
  const believed = isNamed
    ? []
    : arrays.filter((each) => !isNeverItems(each.name) && believable(bytes, each, meta));
  return (
    pick(named.filter((each) => each.kind === 'array')) ??
    pick(arrays.filter((each) => USUAL_NAMES.includes(each.word))) ??
    pick(believed) ??
    missing
  );
}

/**
 * Under an unusual name a list has objects. An empty array there could be anything, unless a `meta` block
 * beside it shows that this is a list.
 */
function believable(bytes: Uint8Array, array: Span, meta: Span | undefined): boolean {
  const first = firstElementKind(bytes, array);
  return first === undefined ? meta !== undefined : first === 'object';
}

/** However many members there are: only those on the path, and `meta`, are kept. */
function atPath(text: JsonText, root: Span, path: string): FoundItems {
  const names: string[] = [];
  let object = root;
  let meta: Span | undefined;
  const keys = path.split('.');
  for (const [depth, key] of keys.entries()) {
    const matches: Member[] = [];
    const metas = new Map<string, SearchedMember>();
    for (const member of membersOf(text, object.start)) {
      const { name } = member;
      if (depth === 0 && names.length < MAX_MEMBERS_SEARCHED) names.push(name);
      if (name === key && matches.length < 2) matches.push(member);
      const word = wordOf(name);
      // Of duplicate members the last one counts.
      if (META_NAMES.includes(word)) metas.set(word, { ...member, word });
    }
    meta ??= metaOf([...metas.values()]);
    const [match] = matches;
    if (match === undefined) break;
    if (matches.length > 1) return ambiguous([path]);
    if (depth === keys.length - 1) {
      return match.kind === 'array'
        ? { kind: 'found', items: match, meta }
        : { kind: 'missing', names: [path] };
    }
    if (match.kind !== 'object') break;
    object = match;
  }
  return { kind: 'missing', names };
}

function metaOf(members: readonly SearchedMember[]): Span | undefined {
  return META_NAMES.map((name) => members.findLast((each) => each.word === name)).find(
    (member) => member !== undefined,
  );
}

function withMeta(found: FoundItems, meta: Span | undefined): FoundItems {
  return found.kind === 'found' ? { ...found, meta } : found;
}

function namesIn(found: FoundItems): readonly string[] {
  return 'names' in found ? found.names : ['an array one level deeper'];
}

function ambiguous(names: readonly string[]): FoundItems {
  return { kind: 'ambiguous', names };
}
