import {
  afterSpace,
  firstElementKind,
  type JsonText,
  kindAt,
  type Member,
  membersOf,
  type Span,
  textOf,
  valueEnd,
} from './json-text.ts';
import { QUOTE, WRONG } from './json-tokens.ts';

/** Members that are looked at, by name. */
export interface OutlinePlan {
  isWanted(name: string): boolean;
  /** Whether the first element of such a list is wanted too. */
  isFirstWanted(name: string): boolean;
}

/**
 * The few members of a text that are wanted, as a value: those of the root, and of the objects among them. An object
 * or list of which nothing is wanted shows only whether it is empty: `{}` and `[]`, or not.
 */
export interface Outline {
  readonly value: unknown;
  /** `false` when members were left out, since there were more than {@link MAX_OUTLINE_MEMBERS}. */
  readonly isWhole: boolean;
}

/** Real answers have ten or twenty. */
export const MAX_OUTLINE_MEMBERS = 1_000;
/** `data.meta.pagination.links.next.href` is as deep as real APIs go. */
const MAX_DEPTH = 8;
/** Links have some hundred bytes. What is longer is no code, number or link that anybody can use. */
export const MAX_SCALAR_BYTES = 4_096;

/** In place of what is not wanted. */
const SOMETHING = { '…': 0 };

/** Cuts out what is wanted. No more than that is ever parsed. The text need not have been checked. */
export function outlineOf(text: JsonText, plan: OutlinePlan): Outline {
  const { bytes } = text;
  let count = 0;
  const isFull = () => count >= MAX_OUTLINE_MEMBERS;

  const objectAt = (start: number, depth: number): unknown => {
    const found = new Map<string, Member>();
    let isEmpty = true;
    for (const member of membersOf(text, start)) {
      isEmpty = false;
      if (depth === MAX_DEPTH || isFull()) break;
      if (!plan.isWanted(member.name)) continue;
      // Of duplicate members the last one counts, as for JSON.parse.
      if (!found.has(member.name)) count++;
      found.set(member.name, member);
    }
    if (found.size === 0) return isEmpty ? {} : SOMETHING;
    const values = [...found].map(([name, member]) => [name, outlineAt(member, depth)] as const);
    return Object.fromEntries(values);
  };
  const listAt = (list: Span, isFirstWanted: boolean, depth: number): readonly unknown[] => {
    const kind = firstElementKind(bytes, list);
    if (kind === undefined) return [];
    if (!isFirstWanted || kind === 'array') return [SOMETHING];
    const start = afterSpace(bytes, list.start + 1);
    return [kind === 'object' ? objectAt(start, depth + 1) : scalarAt(text, start)];
  };
  const outlineAt = ({ kind, name, ...span }: Member, depth: number): unknown => {
    if (kind === 'object') return objectAt(span.start, depth + 1);
    if (kind === 'array') return listAt(span, plan.isFirstWanted(name), depth);
    return scalarOf(bytes, span);
  };

  const start = afterSpace(bytes, 0);
  const kind = kindAt(bytes, start);
  const root: Member = { name: '', kind, start, end: bytes.length };
  const value = kind === 'scalar' ? undefined : outlineAt(root, -1);
  return { value, isWhole: !isFull() };
}

function scalarAt(text: JsonText, start: number): unknown {
  const end = valueEnd(text, start);
  return end === WRONG ? SOMETHING : scalarOf(text.bytes, { start, end });
}

function scalarOf(bytes: Uint8Array, span: Span): unknown {
  if (span.end - span.start <= MAX_SCALAR_BYTES) {
    const value: unknown = JSON.parse(textOf(bytes, span));
    return value;
  }
  // Not the value, but of its kind: a text that is not empty, or a number that is none.
  if (bytes[span.start] !== QUOTE) return Number.NaN;
  return textOf(bytes, { start: span.start + 1, end: span.start + MAX_SCALAR_BYTES });
}
