import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { type ItemName, UnreadableItemError } from '../../../lib/steps/unreadable-item.ts';

/** Attributes that the table itself is about; written by the stack too. */
export const LEDGER_ATTRIBUTES = {
  /** The connection; `#key-holders` for the items that say which connection has a key, by fingerprints as `sk`. */
  partitionKey: 'pk',
  /**
   * `gate`, `active-export`, `export#<id>`, `part#<id>#<number>#<token>`, `write#<id>`, `order#<orderKey>`,
   * `change#<exportId>` or `changes#<list>`.
   */
  sortKey: 'sk',
  /** Seconds since the epoch after which DynamoDB deletes the item. */
  timeToLive: 'deleteAt',
  /** Only active exports have it, so the index below holds nothing else. */
  activeMark: 'activeMark',
  /** Only exports have it: `<startedAtMs, 16 digits>#<exportId>`, with `#<list>` for all lists but customers, the same in every state of an export. */
  historyOrder: 'historyOrder',
  /** Only what the sweep or a person must look at has these two: writes, changes, and exports with untold events. */
  openWrite: 'openWrite',
  /** Number: milliseconds since the epoch. */
  openWriteAtMs: 'openWriteAtMs',
} as const;

export const ACTIVE_EXPORTS_INDEX = 'active-exports';

/** The sparse index over the exports of each connection by their start; it holds keys alone. */
export const EXPORT_HISTORY_INDEX = 'export-history';

/** The sparse index over the open writes, open changes and untold exports of all connections; it holds keys alone. */
export const OPEN_WRITES_INDEX = 'open-writes';

export type Item = Record<string, AttributeValue>;

/** The members of a JSON-like object as DynamoDB attributes; those that are undefined are left out. */
export function toItem(value: object): Item {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, attributeOf(member)]));
}

/** The JSON-like value of an item; a string set is no list, since only a set can be added to. */
export function fromItem(item: Item): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));
}

function attributeOf(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) };
  if (value instanceof Set) return { SS: [...value] };
  if (Array.isArray(value)) return { L: value.map(attributeOf) };
  if (typeof value === 'object') return { M: toItem(value) };
  throw new TypeError(`expected JSON, got ${typeof value}`);
}

function plain(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.L !== undefined) return attribute.L.map(plain);
  if (attribute.M !== undefined) return fromItem(attribute.M);
  if (attribute.SS !== undefined) return new Set(attribute.SS);
  return null;
}

/**
 * Checks an item on its way in. The error names the item and the attributes, and shows no value. What was copied from
 * another connection still names that one, and would be carried out with its key.
 */
export function parseItem<T>(
  schema: v.GenericSchema<unknown, T>,
  value: Readonly<Record<string, unknown>>,
  item: ItemName,
): T | UnreadableItemError {
  const { connection = item.connection } = value;
  if (connection !== item.connection) return new UnreadableItemError(item, ['connection']);
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const places = new Set(parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the whole item'));
  return new UnreadableItemError(item, [...places]);
}

/** A query for the items of one mark up to a time, oldest first; each is given by the id in its sort key, and its time. */
export function openItems(mark: string, untilMs: number, sortPrefix: string) {
  const { partitionKey, sortKey, openWrite, openWriteAtMs } = LEDGER_ATTRIBUTES;
  return {
    schema: v.pipe(
      v.object({
        [partitionKey]: v.string(),
        [sortKey]: v.pipe(v.string(), v.startsWith(sortPrefix)),
        [openWriteAtMs]: v.number(),
      }),
      v.transform(({ pk, sk, openWriteAtMs: atMs }) => ({
        connection: pk,
        id: sk.slice(sortPrefix.length),
        atMs,
      })),
    ),
    index: OPEN_WRITES_INDEX,
    condition: `${openWrite} = :mark AND ${openWriteAtMs} <= :at`,
    values: { ':mark': mark, ':at': untilMs },
  };
}

/** An attribute that is advice: what another version or a person may have stored there counts as none. */
export const advice = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.fallback(v.optional(schema), undefined);
