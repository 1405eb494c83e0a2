import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { isJsonObject, parseJson } from '../json/json-value.ts';
import { CONNECTION_NAME, WRITE_NAME } from '../names.ts';
import { recordOf } from '../record-of.ts';
import type { WritePointer } from './ports.ts';

export interface RequestedWrite {
  readonly v: 1;
  readonly connection: string;
  /** Chosen by the caller: the same id is the same write. 1 to 128 of `A-Z a-z 0-9 . _ : -`. */
  readonly writeId: string;
  /** Name of a declared operation. */
  readonly operation: string;
  /** Values for the placeholders of the operation's resource. */
  readonly params?: Readonly<Record<string, string>>;
  /** Sent as JSON; absent: no body. */
  readonly body?: unknown;
  /** Writes of a connection with the same orderKey are carried out in the order of acceptance. */
  readonly orderKey?: string;
}

const nameSchema = v.pipe(
  v.string('expected text'),
  v.regex(WRITE_NAME, 'expected 1 to 128 letters, digits, dots, underscores, colons and hyphens'),
);
const connectionSchema = v.pipe(
  v.string('expected text'),
  v.regex(CONNECTION_NAME, 'expected the name of a connection'),
);
const param = v.union([v.string(), v.number()], 'expected text');

const RequestSchema = v.strictObject({
  v: v.literal(1, 'expected 1'),
  connection: connectionSchema,
  writeId: nameSchema,
  operation: v.pipe(v.string('expected text'), v.maxLength(64, 'expected 64 characters at most')),
  params: v.exactOptional(
    v.pipe(
      recordOf(v.string(), param),
      v.transform((params) =>
        Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
      ),
    ),
  ),
  body: v.exactOptional(v.unknown()),
  orderKey: v.exactOptional(nameSchema),
});

const PointerSchema = v.strictObject({
  v: v.literal(1),
  connection: connectionSchema,
  writeId: nameSchema,
  attempt: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
});

export type ParsedWrite<T> =
  | { readonly kind: 'value'; readonly value: T }
  /** Retrying cannot help. `setting` is the wrong member, such as `params.id`. */
  | { readonly kind: 'malformed'; readonly setting: string; readonly reason: string };

/** Parses a request. The reason names the wrong member, but no value. */
export function parseRequestedWrite(given: unknown): ParsedWrite<RequestedWrite> {
  const parsed = v.safeParse(RequestSchema, given, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const setting = v.getDotPath(issue) ?? 'write';
    const isMissing = issue.type === 'strict_object' && issue.received === 'undefined';
    const problem =
      issue.expected === 'never' ? 'is not known here' : isMissing ? 'is missing' : issue.message;
    return { kind: 'malformed', setting, reason: `${setting}: ${problem}.` };
  }
  return { kind: 'value', value: parsed.output };
}

/** The content of a queue message: a whole request, or a pointer to a write in the ledger. */
export type WriteMessage =
  | { readonly kind: 'request'; readonly request: RequestedWrite }
  | { readonly kind: 'pointer'; readonly pointer: WritePointer };

export function parseWriteMessage(text: string): ParsedWrite<WriteMessage> {
  const given = parseJson(text);
  if (isJsonObject(given) && given['operation'] === undefined) {
    const pointer = v.safeParse(PointerSchema, given);
    if (pointer.success) {
      return { kind: 'value', value: { kind: 'pointer', pointer: pointer.output } };
    }
  }
  const parsed = parseRequestedWrite(given);
  if (parsed.kind === 'malformed') return parsed;
  return { kind: 'value', value: { kind: 'request', request: parsed.value } };
}

/** SHA-256 in hex of the request: equal for equal JSON values, in any order of members. */
export function fingerprintOf({ operation, params = {}, body, orderKey }: RequestedWrite): string {
  const asked = canonicalJson([
    operation,
    params,
    body ?? null,
    body === undefined,
    orderKey ?? null,
  ]);
  return createHash('sha256').update(asked).digest('hex');
}

/** JSON with the members of every object sorted by name. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}
