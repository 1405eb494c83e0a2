import { membersOf, type Span } from '../json/json-text.ts';
import { OPEN_OBJECT } from '../json/json-tokens.ts';
import type { Lists } from '../json/scan-json.ts';
import { canonicalHash } from './canonical-hash.ts';

const NO_LISTS: Lists = new Map();

const MAX_DIFFERING_MEMBERS = 100;

/** An object of more is a table of its own; its members would take several times the memory of the record. */
const MAX_MEMBERS = 10_000;

/**
 * The names of the top-level members of two records that are different in more than their form, gone or new: those
 * of the later record in its order, then those that are gone.
 *
 * @returns `undefined` where a record is no object, or has more than 10,000 members.
 */
export function differingMembers(
  before: Uint8Array,
  after: Uint8Array,
): readonly string[] | undefined {
  const old = membersByName(before);
  const now = membersByName(after);
  if (old === undefined || now === undefined) return undefined;
  const names: string[] = [];
  for (const [name, spans] of now) {
    if (!isSame({ bytes: before, spans: old.get(name) ?? [] }, { bytes: after, spans })) {
      names.push(name);
    }
  }
  for (const name of old.keys()) if (!now.has(name)) names.push(name);
  return names.slice(0, MAX_DIFFERING_MEMBERS);
}

/** Most names stand there once. */
interface Members {
  readonly bytes: Uint8Array;
  readonly spans: readonly Span[];
}

function membersByName(bytes: Uint8Array): ReadonlyMap<string, readonly Span[]> | undefined {
  const members = new Map<string, Span[]>();
  let count = 0;
  if (bytes[0] !== OPEN_OBJECT) return undefined;
  for (const member of membersOf({ bytes, lists: NO_LISTS }, 0)) {
    if (++count > MAX_MEMBERS) return undefined;
    const others = members.get(member.name);
    if (others === undefined) members.set(member.name, [member]);
    else others.push(member);
  }
  return members;
}

function isSame(before: Members, after: Members): boolean {
  if (before.spans.length !== after.spans.length) return false;
  return before.spans.every((old, index) => {
    const now = after.spans[index] ?? old;
    const oldText = before.bytes.subarray(old.start, old.end);
    const nowText = after.bytes.subarray(now.start, now.end);
    return (
      Buffer.compare(oldText, nowText) === 0 || canonicalHash(oldText) === canonicalHash(nowText)
    );
  });
}
