import { stringEnd } from './json-scalar.ts';
import { kindAt, type Member, membersOf, textOf, valueEnd, wholeText } from './json-text.ts';
import { MINUS, NINE, QUOTE, SPACE, ZERO } from './json-tokens.ts';
import { type Lists, MAX_NESTING, scanJson } from './scan-json.ts';

/**
 * A JSON value as it was received: digits, escapes, order of members and duplicate members are in its bytes.
 * Nothing of it becomes a JavaScript value until it is asked for.
 */
export interface ExactJson {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'literal';
  /** UTF-8, without insignificant white space. */
  readonly bytes: Uint8Array;
}

/** The members of an object by name, each name once. */
export type ExactMembers = ReadonlyMap<string, ExactJson>;

interface Unreadable {
  readonly kind: 'unreadable';
  /** The member that is wrong; absent when it is the whole text. */
  readonly member?: string;
  /** Such as `is not JSON`; holds nothing of the text. */
  readonly problem: string;
}

/** Reads a JSON text. It is taken as it is or not at all. */
export function readExactJson(
  text: string,
): { readonly kind: 'json'; readonly json: ExactJson } | Unreadable {
  // A byte order mark is no part of JSON (RFC 8259 section 8.1), so it cannot be handed on.
  if (text.startsWith('\ufeff')) return unreadable('begins with a byte order mark');
  if (!text.isWellFormed()) return unreadable('holds half of a character outside an escape');
  const bytes = Buffer.from(text);
  const lists = scanJson(bytes);
  if (lists === undefined) return unreadable('is not JSON');
  if (lists === 'too-deep') return unreadable(`is nested deeper than ${MAX_NESTING} levels`);
  return { kind: 'json', json: checkedJson(withoutSpace(bytes)) };
}

/** Reads the members of a JSON object. An object with two members of one name has no defined meaning. */
export function readMembers(
  text: string,
): { readonly kind: 'members'; readonly members: ExactMembers } | Unreadable {
  const read = readExactJson(text);
  return read.kind === 'json' ? uniqueMembers(read.json) : read;
}

export function uniqueMembers(
  json: ExactJson,
): { readonly kind: 'members'; readonly members: ExactMembers } | Unreadable {
  if (json.kind !== 'object') return unreadable('expected a JSON object');
  const members = new Map<string, ExactJson>();
  for (const [name, value] of membersIn(json)) {
    if (members.has(name)) return { ...unreadable(TWICE), member: name };
    members.set(name, value);
  }
  return { kind: 'members', members };
}

const TWICE = 'is there more than once, and no rule says which one counts';

/**
 * The members of an object in their order, duplicates included; none for any other value. One at a time: an object
 * that an API sent may have millions.
 */
export function* membersIn({
  kind,
  bytes,
}: ExactJson): Generator<readonly [string, ExactJson], void, undefined> {
  for (let at = 1; kind === 'object' && at < bytes.length - 1; at++) {
    const nameEnd = stringEnd(bytes, at);
    const name = String(JSON.parse(textOf(bytes, { start: at, end: nameEnd })));
    const start = nameEnd + 1;
    at = valueEnd({ bytes, lists: NONE }, start);
    yield [name, checkedJson(bytes.subarray(start, at))];
  }
}

/** The member of this name; `undefined` where there is none, or more than one. Of the others nothing is kept. */
export function onlyMember({ kind, bytes }: ExactJson, name: string): ExactJson | undefined {
  let found: Member | undefined;
  if (kind !== 'object') return undefined;
  for (const member of membersOf({ bytes, lists: NONE }, 0)) {
    if (member.name !== name) continue;
    if (found !== undefined) return undefined;
    found = member;
  }
  return found && checkedJson(bytes.subarray(found.start, found.end));
}

/** The elements of an array; none for any other value. */
export function elementsIn({ kind, bytes }: ExactJson): readonly ExactJson[] {
  const elements: ExactJson[] = [];
  for (let at = 1; kind === 'array' && at < bytes.length - 1; at++) {
    const start = at;
    at = valueEnd({ bytes, lists: NONE }, start);
    elements.push(checkedJson(bytes.subarray(start, at)));
  }
  return elements;
}

const NONE: Lists = new Map();

export function exactText({ bytes }: ExactJson): string {
  return wholeText(bytes);
}

/** The characters that a JSON string stands for; `undefined` for any other value. */
export function stringIn(json: ExactJson): string | undefined {
  return json.kind === 'string' ? String(JSON.parse(exactText(json))) : undefined;
}

/** @param bytes A JSON text that `scanJson` has checked, without insignificant white space. */
export function checkedJson(bytes: Uint8Array): ExactJson {
  const kind = kindAt(bytes, 0);
  const [first = 0] = bytes;
  if (kind !== 'scalar') return { kind, bytes };
  if (first === QUOTE) return { kind: 'string', bytes };
  const isNumber = first === MINUS || (first >= ZERO && first <= NINE);
  return { kind: isNumber ? 'number' : 'literal', bytes };
}

/** In place: a text may take most of the memory that there is for it. */
function withoutSpace(bytes: Buffer): Buffer {
  let length = 0;
  let at = 0;
  while (at < bytes.length) {
    const from = at;
    while (at < bytes.length && (bytes[at] ?? 0) > SPACE) {
      at = bytes[at] === QUOTE ? stringEnd(bytes, at) : at + 1;
    }
    length += bytes.copy(bytes, length, from, at);
    while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at++;
  }
  return bytes.subarray(0, length);
}

function unreadable(problem: string): Unreadable {
  return { kind: 'unreadable', problem };
}
