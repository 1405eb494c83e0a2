import type { JsonBody } from '../customers-api/answer-json.ts';
import { findItems, isNeverItems, MAX_MEMBERS_SEARCHED } from '../customers-api/find-items.ts';
import { evidencePlaces } from '../customers-api/read-evidence.ts';
import { MAX_SCALAR_BYTES } from '../json/json-outline.ts';
import { firstElementKind, type Member, membersOf, rootSpan, textOf } from '../json/json-text.ts';
import { parseJson } from '../json/json-value.ts';
import type { Envelope } from './seen-read.ts';

/** `data.meta.pagination` is as deep as real APIs go. */
const MAX_DEPTH = 4;

interface Place extends Member {
  readonly path: string;
}

/**
 * Looks at what is around the records. Where no rule says which array holds them, the largest array of objects is
 * taken, at any depth.
 *
 * @param itemsKey As given by the caller.
 * @returns `undefined` for a body without any array that could hold records.
 */
export function envelopeOf(
  body: JsonBody,
  about: {
    readonly resource: string;
    readonly itemsKey: string | undefined;
    readonly holdsKey: (text: string) => boolean;
  },
): Envelope | undefined {
  const root = rootSpan(body);
  const found = findItems(body, root, about.resource, about.itemsKey);
  const places = [...placesIn(body)].filter(({ path }) => !about.holdsKey(path));
  const lists = places.filter((place) => place.kind === 'array');
  const largest = lists
    .filter(({ name, start, end }) => {
      const isOfObjects = firstElementKind(body.bytes, { start, end }) === 'object';
      return isOfObjects && !isNeverItems(name);
    })
    .toSorted((a, b) => b.end - b.start - (a.end - a.start));
  // Of HAL without records there is no list to name.
  const isFoundByRule = found.kind === 'found' && found.items.end > found.items.start;
  const itemsPath = isFoundByRule
    ? (lists.find(({ start }) => start === found.items.start)?.path ?? '')
    : (largest[0]?.path ?? onlyEmptyList(lists));
  if (itemsPath === undefined) return undefined;
  return {
    itemsPath,
    isFoundByRule: isFoundByRule && about.itemsKey === undefined,
    otherLists: isFoundByRule ? [] : otherLists(lists, itemsPath),
    bytes: body.bytes.length,
    ...countsIn(body, places, about.holdsKey),
  };
}

/** Empty ones too: those could be the list that is wanted. */
function otherLists(lists: readonly Place[], itemsPath: string): readonly string[] {
  const others = lists.filter(({ name, path }) => path !== itemsPath && !isNeverItems(name));
  return others.map(({ path }) => path);
}

/** An empty list may be the one; of several nothing tells which. */
function onlyEmptyList(lists: readonly Place[]): string | undefined {
  const [only, ...others] = lists.filter(({ name }) => !isNeverItems(name));
  return others.length === 0 ? only?.path : undefined;
}

function countsIn(
  body: JsonBody,
  places: readonly Place[],
  holdsKey: (text: string) => boolean,
): Pick<Envelope, 'places' | 'numbers' | 'digitTexts' | 'linkParameters'> {
  const scalars = places
    .filter(({ kind, start, end }) => kind === 'scalar' && end - start <= MAX_SCALAR_BYTES)
    .map(({ path, start, end }) => ({ path, text: textOf(body.bytes, { start, end }) }));
  const numbers = scalars.filter(({ text }) => /^\d{1,15}$/.test(text));
  const evidence = evidencePlaces(body.outline).found;
  const links = new Set(evidence.get('nextPage')?.map(({ path }) => path));
  const linkParameters = scalars
    .filter(({ path }) => links.has(path) || links.has(path.replace(/\.href$/, '')))
    .flatMap(({ text }) => parametersIn(parseJson(text)))
    .filter((name) => !holdsKey(name));
  return {
    places: evidence,
    numbers: new Map(numbers.map(({ path, text }) => [path, Number(text)])),
    digitTexts: scalars.filter(({ text }) => /^"\d{1,15}"$/.test(text)).map(({ path }) => path),
    linkParameters: [...new Set(linkParameters)],
  };
}

function parametersIn(link: unknown): readonly string[] {
  const url = typeof link === 'string' ? URL.parse(link, 'https://api.example.com') : null;
  return url === null
    ? []
    : [...url.searchParams.keys()].filter((name) => /^[\w.[\]-]{1,40}$/.test(name));
}

/** The members around the records, without what is inside arrays. */
function* placesIn(body: JsonBody): Generator<Place, void, undefined> {
  let count = 0;
  function* inside(
    start: number,
    before: string,
    depth: number,
  ): Generator<Place, void, undefined> {
    for (const member of membersOf(body, start)) {
      if (count++ >= MAX_MEMBERS_SEARCHED) return;
      // A dot would be read as the beginning of another name.
      if (!/^[^.\p{C}]{1,64}$/u.test(member.name)) continue;
      const path = before + member.name;
      yield { ...member, path };
      if (member.kind === 'object' && depth < MAX_DEPTH) {
        yield* inside(member.start, `${path}.`, depth + 1);
      }
    }
  }
  const root = rootSpan(body);
  // Of a list and of a plain value there is nothing around it.
  if (textOf(body.bytes, { start: root.start, end: root.start + 1 }) === '{') {
    yield* inside(root.start, '', 0);
  }
}
