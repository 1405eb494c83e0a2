import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { recordOf } from '../../lib/record-of.ts';
import { randomOf } from './random.ts';

const count = (minimum: number) => v.pipe(v.number(), v.integer(), v.minValue(minimum));
const milliseconds = v.pipe(v.number(), v.minValue(0), v.maxValue(2 ** 31 - 1));
const statusCode = v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599));
/** What Node lets into a header (RFC 9110 sections 5.1 and 5.5). */
const headerName = v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]+$/));
const headerText = v.pipe(v.string(), v.regex(/^[\t\x20-\x7e\x80-\xff]*$/));
const headerValue = v.union([headerText, v.array(headerText)]);

/** Which requests a fault hits: all conditions that are given must hold; none given means every request. */
const conditionSchema = v.strictObject({
  /** The request's number, counted from 1 over the whole simulator. */
  request: v.exactOptional(count(1)),
  /** Request numbers, both included. */
  from: v.exactOptional(count(1)),
  to: v.exactOptional(count(1)),
  /** Every nth request. */
  every: v.exactOptional(count(1)),
  /** The page as asked for; a request without `page` asks for the first one. */
  page: v.exactOptional(count(0)),
  method: v.exactOptional(v.picklist(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])),
  /** Name of the resource, such as `customers`. */
  resource: v.exactOptional(v.string()),
  /** Name of the organization whose key was sent. */
  organization: v.exactOptional(v.string()),
  /** 0 to 1, drawn from the simulator's seed. */
  probability: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
});

const faultKindSchema = v.variant('kind', [
  /**
   * Any answer. In header values `{date+7}`, `{rfc850+7}` and `{asctime+7}` become the HTTP-date 7
   * seconds after the `Date` header (RFC 9110 section 5.6.7), `-7` before it; an array repeats the header.
   */
  v.strictObject({
    kind: v.literal('status'),
    status: statusCode,
    headers: v.optional(recordOf(headerName, headerValue), {}),
    /** Text is sent as it is, anything else as JSON. @default a JSON error body */
    body: v.exactOptional(v.unknown()),
    /** Added to the `Date` header and so to every date placeholder. @default 0 */
    clockSkewSeconds: v.optional(v.pipe(v.number(), v.integer()), 0),
  }),
  v.strictObject({ kind: v.literal('error-body-200') }),
  v.strictObject({ kind: v.literal('html') }),
  v.strictObject({ kind: v.literal('empty-200') }),
  v.strictObject({ kind: v.literal('no-content-204') }),
  v.strictObject({ kind: v.literal('json-null') }),
  v.strictObject({ kind: v.literal('json-empty-object') }),
  v.strictObject({
    kind: v.literal('redirect'),
    status: v.optional(v.picklist([301, 302, 303, 307, 308]), 302),
    location: headerText,
  }),
  v.strictObject({
    kind: v.literal('gzip-bomb'),
    /** Bytes after decoding, all of them a valid JSON page. @default 300 MiB */
    decodedBytes: v.optional(v.pipe(count(1000), v.maxValue(2 ** 31)), 300 * 2 ** 20),
  }),

  // The ordinary answer, changed.
  v.strictObject({ kind: v.literal('gzip') }),
  v.strictObject({ kind: v.literal('truncated-gzip') }),
  v.strictObject({ kind: v.literal('bad-utf8') }),
  v.strictObject({ kind: v.literal('utf-8-bom') }),
  v.strictObject({
    kind: v.literal('echo-key'),
    where: v.picklist(['body', 'header', 'next-url', 'error-body']),
    form: v.optional(v.picklist(['plain', 'json-escaped', 'base64']), 'plain'),
  }),
  v.strictObject({ kind: v.literal('skewed-date'), seconds: v.pipe(v.number(), v.integer()) }),

  // The ordinary answer, badly delivered.
  /** Half of the body under the Content-Length of all of it, then FIN. */
  v.strictObject({ kind: v.literal('cut-body') }),
  /** Half of the body without Content-Length and chunks, then FIN: looks complete to HTTP. */
  v.strictObject({ kind: v.literal('cut-close-delimited') }),
  v.strictObject({ kind: v.literal('reset-mid-body') }),
  v.strictObject({ kind: v.literal('headers-then-silence') }),
  v.strictObject({
    kind: v.literal('slow-drip'),
    bytes: v.optional(count(1), 1),
    everyMs: v.optional(milliseconds, 1000),
  }),
  v.strictObject({ kind: v.literal('delay'), ms: milliseconds }),
  /** An ordinary answer; the next request on the same connection is reset. */
  v.strictObject({ kind: v.literal('reset-keep-alive') }),

  // No answer.
  v.strictObject({ kind: v.literal('reset-before-headers') }),
  v.strictObject({ kind: v.literal('silence') }),

  // A list that does not follow the rules.
  v.strictObject({ kind: v.literal('ignore-page') }),
  v.strictObject({ kind: v.literal('clamp-per-page'), perPage: count(1) }),
  v.strictObject({ kind: v.literal('repeat-last-page') }),
  /** The records of another page, in reverse; all else as if they were the right ones. */
  v.strictObject({ kind: v.literal('repeat-page'), of: count(0) }),
  /** Pages without an end: after `length` of them their records come again, in reverse. */
  v.strictObject({ kind: v.literal('cycle-pages'), length: count(1) }),
  /** As if the second half of the list were gone: records, counts and pages agree. */
  v.strictObject({ kind: v.literal('half-list') }),
  v.strictObject({
    kind: v.literal('past-end-status'),
    status: v.optional(v.picklist([400, 404, 422]), 404),
  }),

  // Writes without a clear outcome.
  /** The write takes effect, then the connection is reset. */
  v.strictObject({ kind: v.literal('lose-answer') }),
  /** The connection is reset before the write takes effect. */
  v.strictObject({ kind: v.literal('lose-request') }),
  /** The write takes effect, the answer says that it failed. */
  v.strictObject({ kind: v.literal('error-after-effect'), status: v.optional(statusCode, 500) }),
]);

const faultSchema = v.strictObject({
  when: v.optional(conditionSchema, {}),
  /** How often it fires at most. @default without limit */
  times: v.exactOptional(count(1)),
  fault: faultKindSchema,
});

/** One line of a fault script: when, how often, what. The first line that matches a request wins. */
export type Fault = v.InferInput<typeof faultSchema>;
type ParsedFault = v.InferOutput<typeof faultSchema>;
type FaultCondition = ParsedFault['when'];
export type FaultKind = ParsedFault['fault'];

/**
 * Reads a fault script: an array of {@link Fault}.
 *
 * @throws SettingError naming the place, such as `faults[2].fault.status`.
 */
export function parseFaults(script: unknown, setting = 'faults'): readonly ParsedFault[] {
  return parseSetting(v.array(faultSchema), script, setting);
}

/** What a fault's conditions look at. */
interface FaultSubject {
  readonly n: number;
  readonly method: string;
  readonly page: number;
  readonly resource: string;
  readonly organization: string | undefined;
}

/** Chooses the fault for each request, in the order in which they come. */
export type FaultScript = (subject: FaultSubject) => FaultKind | undefined;

export function faultScriptOf(faults: readonly ParsedFault[], seed: number): FaultScript {
  const lines = faults.map((fault) => ({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }));
  const random = randomOf(seed);
  return (subject) => {
    const line = lines.find(({ fault, left }) => left > 0 && matches(fault.when, subject, random));
    if (line === undefined) return undefined;
    line.left -= 1;
    return line.fault.fault;
  };
}

function matches(when: FaultCondition, subject: FaultSubject, random: () => number): boolean {
  return (
    equals(when.request, subject.n) &&
    subject.n >= (when.from ?? 1) &&
    subject.n <= (when.to ?? Number.POSITIVE_INFINITY) &&
    subject.n % (when.every ?? 1) === 0 &&
    equals(when.page, subject.page) &&
    equals(when.method, subject.method) &&
    equals(when.resource, subject.resource) &&
    equals(when.organization, subject.organization) &&
    (when.probability === undefined || random() < when.probability)
  );
}

function equals(wanted: unknown, got: unknown): boolean {
  return wanted === undefined || wanted === got;
}
