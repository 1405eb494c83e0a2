import {
  firstElementKind,
  type JsonText,
  kindAt,
  type Member,
  membersOf,
  type Span,
} from '../json/json-text.ts';

/** Where a body holds its records and its `meta` block. */
export type FoundItems =
  | { readonly kind: 'found'; readonly items: Span; readonly meta: Span | undefined }
  | { readonly kind: 'missing'; readonly names: readonly string[] }
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] };

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

/** Arrays under these names accompany a list and are never one. */
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

const META_NAMES = ['meta', 'pagination', 'paging', 'pageinfo', 'paginator'];

/**
 * Finds the array of records: where `itemsKey` says; else, next to `meta`, under the resource's name,
 * under a usual name, or as the only array; else the same one level deeper (`{"data":{"customers":[]}}`).
 * A body that is an array is itself the list.
 *
 * @param root The span of its value.
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
  const members = membersOf(text, root.start);
  if (itemsKey !== undefined) return atPath(text, members, itemsKey);

  const here = among(bytes, members, resource);
  if (here.kind !== 'missing') return here;
  const deeper = members
    .filter((member) => member.kind === 'object' && !META_NAMES.includes(wordOf(member.name)))
    .map((member) => {
      const inner = membersOf(text, member.start);
      return withMeta(
        among(bytes, inner, resource, `${member.name}.`),
        metaOf(inner) ?? metaOf(members),
      );
    })
    .filter((found) => found.kind !== 'missing');
  const [only] = deeper;
  if (only === undefined) return here;
  return deeper.length === 1 ? only : ambiguous(deeper.flatMap(namesIn));
}

/** Lower case without `_` and `-`, so that `customer-groups`, `customer_groups` and `customerGroups` meet. */
function wordOf(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function among(
  bytes: Uint8Array,
  members: readonly Member[],
  resource: string,
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
  const resourceWord = wordOf(resource.split('/').at(-1) ?? resource);
  const missing: FoundItems = { kind: 'missing', names: members.map((each) => prefix + each.name) };
  const named = members.filter((each) => wordOf(each.name) === resourceWord);
  // A member with the resource's name that is no list leaves no room for guesses beside it.
  if (named.length > 0 && named.every((each) => each.kind !== 'array')) return missing;
  return (
    pick(named.filter((each) => each.kind === 'array')) ??
    pick(arrays.filter((each) => USUAL_NAMES.includes(wordOf(each.name)))) ??
    pick(
      arrays.filter(
        (each) => !NEVER_ITEMS.includes(wordOf(each.name)) && believable(bytes, each, meta),
      ),
    ) ??
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

function atPath(text: JsonText, members: readonly Member[], path: string): FoundItems {
  const meta = metaOf(members);
  let level = members;
  const keys = path.split('.');
  for (const [depth, key] of keys.entries()) {
    const matches = level.filter((member) => member.name === key);
    const [match] = matches;
    if (match === undefined) break;
    if (matches.length > 1) return ambiguous(matches.map(() => path));
    if (depth === keys.length - 1) {
      return match.kind === 'array'
        ? { kind: 'found', items: match, meta: meta ?? metaOf(level) }
        : { kind: 'missing', names: [path] };
    }
    if (match.kind !== 'object') break;
    level = membersOf(text, match.start);
  }
  return { kind: 'missing', names: members.map((member) => member.name) };
}

function metaOf(members: readonly Member[]): Span | undefined {
  return META_NAMES.map((name) => members.findLast((each) => wordOf(each.name) === name)).find(
    (member) => member !== undefined,
  );
}

function withMeta(found: FoundItems, meta: Span | undefined): FoundItems {
  return found.kind === 'found' ? { ...found, meta } : found;
}

function namesIn(found: FoundItems): readonly string[] {
  return found.kind === 'found' ? ['an array one level deeper'] : found.names;
}

function ambiguous(names: readonly string[]): FoundItems {
  return { kind: 'ambiguous', names };
}
