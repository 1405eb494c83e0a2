import { hash } from 'node:crypto';
import * as v from 'valibot';
import {
  type ExactJson,
  type ExactMembers,
  exactText,
  readMembers,
  stringIn,
  uniqueMembers,
} from '../json/exact-json.ts';
import { measureJson } from '../json/measure-json.ts';
import { ConnectionNameSchema, ORDER_KEY, ORDER_KEY_EXPECTED, WriteIdSchema } from '../names.ts';
import { count } from '../stored.ts';
import { canonicalJson } from './canonical-json.ts';
import type { WritePointer } from './ports.ts';

export interface RequestedWrite {
  readonly v: 1;
  readonly connection: string;
  /** Chosen by the caller: the same id is the same write. 1 to 128 of `A-Z a-z 0-9 . _ : -`, not dots alone. */
  readonly writeId: string;
  /** Name of a declared operation. */
  readonly operation: string;
  /** Values for the placeholders of the operation; a number is the digits as they were sent. */
  readonly params?: Readonly<Record<string, string>>;
  /** JSON text without insignificant white space, sent as it is; absent: no body. */
  readonly bodyText?: string;
  /** Writes of a connection with the same orderKey are carried out in the order of acceptance. */
  readonly orderKey?: string;
}

/** Leaves room for the rest of the item: the limits are 400 KB in DynamoDB and 1 MiB in SQS. */
const MAX_BODY_BYTES = 256 * 1024;
/** Far deeper than records are, far less than what overflows a stack. */
const MAX_BODY_DEPTH = 100;

const nameSchema = v.pipe(v.string('expected text'), v.regex(ORDER_KEY, ORDER_KEY_EXPECTED));
const RequestSchema = v.object({
  v: v.literal(1, 'expected 1'),
  connection: ConnectionNameSchema,
  writeId: WriteIdSchema,
  operation: v.pipe(v.string('expected text'), v.maxLength(64, 'expected 64 characters at most')),
  orderKey: v.exactOptional(nameSchema),
});

const REQUEST_MEMBERS: readonly string[] = [
  ...Object.keys(RequestSchema.entries),
  'params',
  'body',
];

const PointerSchema = v.strictObject({
  v: v.literal(1),
  connection: ConnectionNameSchema,
  // Also of one whose id was taken before ids of dots alone were refused.
  writeId: nameSchema,
  attempt: count,
});

type ParsedWrite<T> =
  | { readonly kind: 'value'; readonly value: T }
  /** Retrying cannot help. `setting` is the wrong member, such as `params.id`. */
  | { readonly kind: 'malformed'; readonly setting: string; readonly reason: string };

type Malformed = Extract<ParsedWrite<never>, { kind: 'malformed' }>;

/**
 * Parses a request. The reason names the wrong member, but no value.
 *
 * @param known What the way in knows by itself; members that are there are stronger.
 */
export function parseRequestedWrite(
  asked: ExactMembers,
  known: Partial<Pick<RequestedWrite, 'v' | 'connection' | 'writeId'>> = {},
): ParsedWrite<RequestedWrite> {
  const stranger = [...asked.keys()].find((name) => !REQUEST_MEMBERS.includes(name));
  if (stranger !== undefined) return malformed(placeOf(stranger, 'write'), 'is not known here');
  const parsed = v.safeParse(
    RequestSchema,
    { ...known, ...scalarsOf(asked) },
    { abortEarly: true },
  );
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const isMissing = issue.type === 'object' && issue.received === 'undefined';
    return malformed(v.getDotPath(issue) ?? 'write', isMissing ? 'is missing' : issue.message);
  }
  const params = paramsOf(asked.get('params'));
  if (params.kind === 'malformed') return params;
  const body = bodyOf(asked.get('body'));
  if (body.kind === 'malformed') return body;
  return { kind: 'value', value: { ...parsed.output, ...params.value, ...body.value } };
}

/** The content of a queue message: a whole request, or a pointer to a write in the ledger. */
export type WriteMessage =
  | { readonly kind: 'request'; readonly request: RequestedWrite }
  | { readonly kind: 'pointer'; readonly pointer: WritePointer };

export function parseWriteMessage(text: string): ParsedWrite<WriteMessage> {
  const read = readMembers(text);
  if (read.kind === 'unreadable') return malformedText(read);
  const { members } = read;
  if (!members.has('operation')) {
    const pointer = v.safeParse(PointerSchema, scalarsOf(members));
    if (pointer.success) {
      return { kind: 'value', value: { kind: 'pointer', pointer: pointer.output } };
    }
  }
  const parsed = parseRequestedWrite(members);
  if (parsed.kind === 'malformed') return parsed;
  return { kind: 'value', value: { kind: 'request', request: parsed.value } };
}

/** What is wrong with a text or object that cannot be read as a request. */
export function malformedText({
  member,
  problem,
}: {
  readonly member?: string;
  readonly problem: string;
}): Malformed {
  return malformed(member === undefined ? 'write' : placeOf(member, 'write'), problem);
}

/** SHA-256 in hex of the request: equal for the same texts, but for the order of members and escapes. */
export function fingerprintOf({
  operation,
  params = {},
  bodyText,
  orderKey,
}: RequestedWrite): string {
  const asked = [
    JSON.stringify(operation),
    canonicalJson(JSON.stringify(params)),
    bodyText === undefined ? 'null' : canonicalJson(bodyText),
    bodyText === undefined,
    JSON.stringify(orderKey ?? null),
  ];
  return hash('sha256', `[${asked.join(',')}]`);
}

/** The values of members that are no objects or arrays; those become an empty object, which no schema takes. */
function scalarsOf(members: ExactMembers): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...members].map(([name, json]): [string, unknown] => {
      const isScalar = json.kind !== 'object' && json.kind !== 'array';
      return [name, isScalar ? JSON.parse(exactText(json)) : {}];
    }),
  );
}

function paramsOf(json: ExactJson | undefined): ParsedWrite<Pick<RequestedWrite, 'params'>> {
  if (json === undefined) return { kind: 'value', value: {} };
  const read = uniqueMembers(json);
  if (read.kind === 'unreadable') {
    const place = read.member === undefined ? 'params' : paramPlace(read.member);
    return malformed(place, read.problem);
  }
  const params: [string, string][] = [];
  for (const [name, value] of read.members) {
    const text = value.kind === 'number' ? exactText(value) : stringIn(value);
    if (text === undefined) return malformed(paramPlace(name), 'expected text or a number');
    params.push([name, text]);
  }
  return { kind: 'value', value: { params: Object.fromEntries(params) } };
}

function bodyOf(json: ExactJson | undefined): ParsedWrite<Pick<RequestedWrite, 'bodyText'>> {
  if (json === undefined) return { kind: 'value', value: {} };
  const { bytes } = json;
  const { length } = bytes;
  if (length > MAX_BODY_BYTES) {
    return malformed('body', `is ${length} bytes of JSON. Expected ${MAX_BODY_BYTES} at most`);
  }
  if (measureJson(bytes, { start: 0, end: length }).depth > MAX_BODY_DEPTH) {
    return malformed('body', `is nested deeper than ${MAX_BODY_DEPTH} levels`);
  }
  return { kind: 'value', value: { bodyText: exactText(json) } };
}

/** Names come from the caller: they are given back only if they are words. */
function placeOf(name: string, otherwise: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : otherwise;
}

function paramPlace(name: string): string {
  const place = placeOf(name, '');
  return place === '' ? 'params' : `params.${place}`;
}

function malformed(setting: string, problem: string): Malformed {
  return { kind: 'malformed', setting, reason: `${setting}: ${problem}.` };
}
