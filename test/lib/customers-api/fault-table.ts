import { expect } from '@jest/globals';
import type { Fault } from '../../../infra/simulator/faults.ts';
import type { SimulatorOptions } from '../../../infra/simulator/options.ts';
import type { CustomersClientOptions } from '../../../lib/customers-api/settings.ts';
import type { WriteRequest } from '../../../lib/customers-api/write.ts';

type FaultKind = Fault['fault'];

/** One row: what the API does, what is asked of the client, what must come out. */
export interface FaultCase {
  /** Row of the fault matrix (research, section 8.3). */
  readonly row: string;
  readonly title: string;
  readonly simulator?: SimulatorOptions;
  /** For `baseUrl`, `untrusted` and `closed` stand for a simulator that nobody trusts or that has ended. */
  readonly client?: Partial<CustomersClientOptions>;
  /** @default listing page 1 */
  readonly ask?: { readonly page: number } | { readonly write: WriteRequest } | 'all pages';
  /** What the outcome, or the error that ended the loop, must match. */
  readonly expected: object;
  /** Requests that reach the API. @default 1 */
  readonly requests?: number;
}

function fault(kind: FaultKind, more: Partial<Fault> = {}): SimulatorOptions {
  return { faults: [{ fault: kind, ...more }] };
}

function status(
  code: number,
  headers: Record<string, string | string[]> = {},
  body?: unknown,
): SimulatorOptions {
  return fault({ kind: 'status', status: code, headers, ...(body === undefined ? {} : { body }) });
}

function throttle(
  row: string,
  retryAfter: string | string[],
  retryAfterSeconds: number,
): FaultCase {
  return {
    row,
    title: `429 with Retry-After ${JSON.stringify(retryAfter)} waits ${retryAfterSeconds} s`,
    simulator: status(429, { 'Retry-After': retryAfter }),
    expected: { kind: 'throttled', status: 429, retryAfterSeconds, waitSource: 'retry-after' },
  };
}

function skewed(clockSkewSeconds: number, retryAfterSeconds: unknown): FaultCase {
  return {
    row: 'A2',
    title: `a date of a clock that is ${clockSkewSeconds} s off waits until it has passed by both clocks`,
    simulator: fault({
      kind: 'status',
      status: 429,
      headers: { 'Retry-After': '{date+7}' },
      clockSkewSeconds,
    }),
    expected: { kind: 'throttled', retryAfterSeconds },
  };
}

const blind = {
  kind: 'throttled',
  retryAfterSeconds: expectFrom(1, 60),
  waitSource: 'backoff',
};

function expectFrom(least: number, most: number) {
  return {
    asymmetricMatch: (value: unknown) =>
      Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

const throttled: readonly FaultCase[] = [
  throttle('A1', '7', 7),
  throttle('A2', '{date+7}', 7),
  throttle('A2', '{rfc850+7}', 7),
  throttle('A2', '{asctime+7}', 7),
  skewed(300, expectFrom(306, 307)),
  skewed(-300, 7),
  throttle('A3', '-5', 1),
  throttle('A3', '0', 1),
  throttle('A3', '{date-60}', 1),
  throttle('A4', '1.5', 2),
  throttle('A4', ' 7 ', 7),
  throttle('A4', '1, 2', 2),
  throttle('A4', ['3', '9', '5'], 9),
  throttle('A4', ['3', '{date+9}'], 9),
  throttle('A4', 'soon, 4', 4),
  {
    row: 'A5',
    title: '429 without Retry-After waits 1 to 60 s',
    simulator: status(429),
    expected: blind,
  },
  ...[429, 503, 403, 302].flatMap((code) =>
    ['soon', 'NaN', '-', '2026-13-01'].map((text) => ({
      row: 'A5',
      title: `${code} with the Retry-After ${JSON.stringify(text)}, which cannot be read, waits a minute`,
      simulator: status(code, { 'Retry-After': text }),
      expected: { kind: 'throttled', retryAfterSeconds: 60 },
    })),
  ),
  {
    row: 'A5',
    title: '401 with a Retry-After that cannot be read rejects the key',
    simulator: status(401, { 'Retry-After': '2026-13-01' }),
    expected: { kind: 'authentication-failure' },
  },
  {
    row: 'A5',
    title: '429 without Retry-After waits until the end of the window that RateLimit-Reset names',
    simulator: status(429, { 'RateLimit-Reset': '42' }),
    expected: { kind: 'throttled', retryAfterSeconds: 42, waitSource: 'rate-limit-reset' },
  },
  throttle('A4', '3s', 3),
  throttle('A4', '1200;', 1_200),
  throttle('A4', 'in 20 minutes', 1_200),
  throttle('A4', '1 minute, 30 seconds', 90),
  {
    row: 'A4',
    title: '429 with retry-after-ms waits whole seconds, rounded up',
    simulator: status(429, { 'retry-after-ms': '1500' }),
    expected: { kind: 'throttled', retryAfterSeconds: 2, waitSource: 'retry-after' },
  },
  throttle('A6', '901', 901),
  throttle('A6', '3600', 3600),
  throttle('A7', '43201', 43_201),
  throttle('A7', '1000000000000', 1_000_000_000_000),
  throttle('A7', 'Infinity', Number.MAX_SAFE_INTEGER),
  throttle('A7', '1e309', Number.MAX_SAFE_INTEGER),
  throttle('A7', '9'.repeat(400), Number.MAX_SAFE_INTEGER),
  {
    row: 'A8',
    title: '503 with Retry-After is a throttle',
    simulator: status(503, { 'Retry-After': '7' }),
    expected: { kind: 'throttled', status: 503, retryAfterSeconds: 7 },
  },
  {
    row: 'A8',
    title: '403 with Retry-After is a throttle',
    simulator: status(403, { 'Retry-After': '7' }),
    expected: { kind: 'throttled', status: 403, retryAfterSeconds: 7 },
  },
  {
    row: 'A8',
    title: '401 with Retry-After is no throttle: the key was rejected',
    simulator: status(401, { 'Retry-After': '7' }),
    expected: { kind: 'authentication-failure', status: 401 },
  },
];

const notJson = { kind: 'refused', reason: 'not-json' };

const badAnswers: readonly FaultCase[] = [
  {
    row: 'B1',
    title: 'an error body in a 200 is refused with its code',
    simulator: fault({ kind: 'error-body-200' }),
    expected: { kind: 'refused', reason: 'error-body', status: 200, apiCode: 'internal_error' },
  },
  {
    row: 'B1',
    title: 'success: false in a 200 is refused even beside a list',
    simulator: status(200, {}, { success: false, customers: [{ id: 1 }] }),
    expected: { kind: 'refused', reason: 'error-body' },
  },
  ...[500, 502, 503, 504].map((code) => ({
    row: 'B2',
    title: `${code} without Retry-After is unavailable`,
    simulator: status(code),
    expected: { kind: 'unavailable', reason: 'server-error', status: code },
  })),
  {
    row: 'B3',
    title: 'a body shorter than its Content-Length is unavailable, after one more try',
    simulator: fault({ kind: 'cut-body' }),
    expected: { kind: 'unavailable', reason: 'network' },
  },
  {
    row: 'B4',
    title: 'truncated gzip is unavailable, never a short page',
    simulator: fault({ kind: 'truncated-gzip' }),
    expected: { kind: 'unavailable', reason: expectOneOf('cut', 'network') },
  },
  {
    row: 'B4',
    title: 'a body without length that ends in the middle is unavailable',
    simulator: fault({ kind: 'cut-close-delimited' }),
    expected: { kind: 'unavailable', reason: 'cut' },
  },
  {
    row: 'B5',
    title: 'an HTML page with status 200 is refused',
    simulator: fault({ kind: 'html' }),
    expected: notJson,
  },
  {
    row: 'B5',
    title: 'bytes that are not UTF-8 are refused',
    simulator: fault({ kind: 'bad-utf8' }),
    expected: notJson,
  },
  {
    row: 'B5',
    title: 'another charset is refused instead of being guessed',
    simulator: fault({
      kind: 'status',
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
      body: '{"customers":[{"name":"Müller"}]}',
    }),
    expected: notJson,
  },
  {
    row: 'B5',
    title: 'a byte order mark is skipped (RFC 8259 section 8.1)',
    simulator: fault({ kind: 'utf-8-bom' }),
    expected: { kind: 'page', recordCount: 25 },
  },
  {
    row: 'B6',
    title: 'an untrusted certificate is refused before anything is sent',
    client: { baseUrl: 'untrusted' },
    expected: { kind: 'refused', reason: 'certificate' },
    requests: 0,
  },
  {
    row: 'B6',
    title: 'a refused connection is unavailable',
    client: { baseUrl: 'closed' },
    expected: {
      kind: 'unavailable',
      reason: 'unreachable',
      message:
        'The host in baseUrl refused the connection (ECONNREFUSED): nothing listens at this port. Check host and port, and that the API is up.',
    },
    requests: 0,
  },
  {
    row: 'B6',
    title: 'a host without an address is unavailable',
    client: { baseUrl: 'https://customers.invalid' },
    expected: { kind: 'unavailable', reason: 'unreachable' },
    requests: 0,
  },
  {
    row: 'B7',
    title: 'headers that are longer than Node.js reads are named',
    simulator: fault({ kind: 'status', status: 200, headers: { 'X-Long': 'h'.repeat(100_000) } }),
    expected: {
      ...{ kind: 'unavailable', reason: 'network' },
      message: expect.stringContaining('its headers are longer than Node.js reads'),
    },
  },
  {
    row: 'B7',
    title: 'a reset while the body arrives is unavailable',
    simulator: fault({ kind: 'reset-mid-body' }),
    expected: { kind: 'unavailable', reason: 'network' },
  },
  {
    row: 'B7',
    title: 'a reset before the answer is repeated once at once',
    simulator: fault({ kind: 'reset-before-headers' }, { times: 1 }),
    expected: { kind: 'page' },
    requests: 2,
  },
  {
    row: 'B7',
    title: 'a second reset is unavailable: no third try',
    simulator: fault({ kind: 'reset-before-headers' }),
    expected: { kind: 'unavailable', reason: 'network' },
    requests: 2,
  },
  ...(['slow-drip', 'headers-then-silence', 'silence'] as const).map((kind) => ({
    row: 'B8',
    title: `${kind} ends with the deadline`,
    simulator: fault({ kind }),
    client: { deadlineMs: 500 },
    expected: { kind: 'unavailable', reason: 'timeout' },
  })),
  {
    row: 'B9',
    title: 'a gzip bomb is refused at the cap',
    simulator: fault({ kind: 'gzip-bomb', decodedBytes: 20_000_000 }),
    client: { maxBodyBytes: 1_000_000 },
    expected: { kind: 'refused', reason: 'too-large' },
  },
  {
    row: 'B10',
    title: 'a 304, which only a cache sends, may be repeated later',
    simulator: status(304),
    expected: { kind: 'unavailable', reason: 'server-error', status: 304 },
  },
  ...[301, 302, 303, 307, 308].flatMap((code) =>
    [
      'https://other.invalid/2.0/customers',
      '/2.0/customers?page=1',
      'http://localhost/2.0/customers',
    ].map((location) => ({
      row: 'B10',
      title: `${code} to ${location} is refused and not followed`,
      simulator: status(code, { Location: location }),
      expected: { kind: 'refused', reason: 'redirect', status: code },
    })),
  ),
  {
    row: 'B11',
    title: 'large ids, duplicate members, __proto__ and escapes come back as they were sent',
    simulator: status(200, {}, unusualBody()),
    expected: { kind: 'page', records: unusualRecords() },
  },
  {
    row: 'B11',
    title: 'a number that JSON does not have is refused',
    simulator: status(200, {}, '{"customers":[{"balance":NaN}]}'),
    expected: notJson,
  },
  {
    row: 'B12',
    title: 'empty-200 is refused, never an empty list',
    simulator: fault({ kind: 'empty-200' }),
    expected: notJson,
  },
  {
    row: 'B12',
    title: 'no-content-204 is a page without records',
    simulator: fault({ kind: 'no-content-204' }),
    expected: { kind: 'page', recordCount: 0, evidence: { warnings: [] } },
  },
  ...(['json-null', 'json-empty-object'] as const).map((kind) => ({
    row: 'B12',
    title: `${kind} is refused, never an empty list`,
    simulator: fault({ kind }),
    expected: { kind: 'refused', reason: 'items-missing' },
  })),
  {
    row: 'B12',
    title: 'an empty list under an unknown name and without meta is refused',
    simulator: status(200, {}, { notices: [] }),
    expected: { kind: 'refused', reason: 'items-missing' },
  },
];

function expectOneOf(...values: readonly string[]) {
  return { asymmetricMatch: (value: unknown) => values.some((each) => each === value) };
}

function unusualRecords(): readonly string[] {
  return [
    '{"id":9007199254740993,"id":9007199254740995,"__proto__":{"a":1}}',
    '{"balance":1.10,"rate":1e3,"zero":-0.0,"big":123456789012345678901234567890}',
    '{"name":"\\u0041\\ud83d\\ude00\\ud800 \u{1f600} \\/ \\" tab\\t","nested":[[],{},[{"a":null}]]}',
  ];
}

function unusualBody(): string {
  return `{"customers":[\n\t${unusualRecords().join(' ,\r\n ')} ],"meta":{"total":3}}`;
}

const rejection = (code: number): FaultCase => ({
  row: 'C1',
  title: `${code} is an authentication failure and ends all requests of the client`,
  simulator: status(code),
  ask: 'all pages',
  expected: { name: 'AuthenticationError', code: 'AUTHENTICATION_FAILED', status: code },
});

const keys: readonly FaultCase[] = [
  rejection(401),
  rejection(403),
  {
    row: 'C1',
    title: 'another status can be declared to mean that the key was rejected',
    simulator: status(418),
    client: { authenticationStatuses: [418] },
    expected: { kind: 'authentication-failure', status: 418 },
  },
  ...(['body', 'header', 'next-url'] as const).flatMap((where) =>
    (['plain', 'json-escaped', 'base64'] as const)
      .filter((form) => where !== 'header' || form !== 'json-escaped')
      .map((form) => ({
        row: 'C7',
        title: `the key in the ${where} of an answer (${form}) refuses the page`,
        simulator: fault({ kind: 'echo-key', where, form }),
        expected: { kind: 'refused', reason: 'key-echo' },
      })),
  ),
  {
    row: 'C7',
    title: 'the key in an error body is not repeated',
    simulator: fault({ kind: 'echo-key', where: 'error-body' }),
    expected: { kind: 'refused', reason: 'client-error', apiCode: 'bad_request' },
  },
];

/** 250 customers, 100 a page: three pages. */
const threePages = { perPage: 100 };
const allCustomers = { customers: 250 };

const lists: readonly FaultCase[] = [
  {
    row: 'E1',
    title: 'an API that ignores page is noticed at the second page',
    simulator: { meta: 'none', ...fault({ kind: 'ignore-page' }) },
    client: threePages,
    ask: 'all pages',
    expected: { name: 'RefusedError', reason: 'not-advancing' },
    requests: 2,
  },
  {
    row: 'E2',
    title: 'a clamped per_page ends no list early',
    simulator: { meta: 'none', maxPerPage: 40 },
    client: threePages,
    ask: 'all pages',
    expected: allCustomers,
    requests: 8,
  },
  {
    row: 'E2',
    title: 'an API that sends more than asked is taken as it is',
    simulator: {
      meta: 'none',
      faults: [1, 2, 3, 4].map((page) => ({
        when: { page },
        fault: { kind: 'status', status: 200, body: listBody(page, undefined) },
      })),
    },
    client: { perPage: 40 },
    ask: 'all pages',
    expected: allCustomers,
    requests: 4,
  },
  ...(['rails', 'total-only', 'none', 'bare'] as const).map(
    (meta): FaultCase => ({
      row: 'E4',
      title: `an empty organization is an empty list (${meta})`,
      simulator: { meta, customers: 0 },
      ask: 'all pages',
      expected: { customers: 0 },
    }),
  ),
  ...([400, 404, 422] as const).map(
    (code): FaultCase => ({
      row: 'E5',
      title: `${code} past the end is the end when the last page was shorter than the others`,
      simulator: { meta: 'none', ...fault({ kind: 'past-end-status', status: code }) },
      client: threePages,
      ask: 'all pages',
      expected: allCustomers,
      requests: 4,
    }),
  ),
  {
    row: 'E5',
    title: '404 past the end is the end when a count was reached',
    simulator: { meta: 'count-all', customers: 200, ...fault({ kind: 'past-end-status' }) },
    client: threePages,
    ask: 'all pages',
    expected: { customers: 200 },
    requests: 3,
  },
  {
    row: 'E5',
    title: '404 after full pages and without any count is an error',
    simulator: { meta: 'none', customers: 200, ...fault({ kind: 'past-end-status' }) },
    client: threePages,
    ask: 'all pages',
    expected: { name: 'RefusedError', reason: 'client-error' },
    requests: 3,
  },
  {
    row: 'E5',
    title: 'the last page again is the end when it was shorter than the others',
    simulator: { meta: 'none', ...fault({ kind: 'repeat-last-page' }) },
    client: threePages,
    ask: 'all pages',
    expected: allCustomers,
    requests: 4,
  },
  {
    row: 'E5',
    title: 'the last page again after full pages and without any count is an error',
    simulator: { meta: 'none', customers: 200, ...fault({ kind: 'repeat-last-page' }) },
    client: threePages,
    ask: 'all pages',
    expected: { name: 'RefusedError', reason: 'not-advancing' },
    requests: 3,
  },
  ...[undefined, 'many', '250', -1, 1.5, 1, null, [250]].map(
    (total): FaultCase => ({
      row: 'E6',
      title: `a total of ${JSON.stringify(total)} ends no list early and a list all the same`,
      simulator: {
        meta: 'none',
        faults: [1, 2, 3, 4].map((page) => ({
          when: { page },
          fault: { kind: 'status', status: 200, body: listBody(page, total) },
        })),
      },
      ask: 'all pages',
      expected: { customers: 250 },
      requests: 4,
    }),
  ),
];

/** Pages of 100, 100, 50 and 0 customers with whatever stands for the total. */
function listBody(page: number, total: unknown): unknown {
  const count = [0, 100, 100, 50, 0][page] ?? 0;
  const customers = Array.from({ length: count }, (_, index) => ({ id: page * 1000 + index }));
  return { customers, meta: { total } };
}

const create = { write: { method: 'POST', resource: 'customers', body: { name: 'Ada' } } } as const;
const createOnce = { write: { ...create.write, idempotencyKey: 'write-1' } };
const replace = {
  write: { method: 'PUT', resource: 'customers/9007199254740981', body: { name: 'Ada' } },
} as const;

const writes: readonly FaultCase[] = [
  ...(['lose-answer', 'lose-request', 'reset-mid-body', 'cut-body'] as const).flatMap((kind) =>
    [create, createOnce, replace].map((ask) => ({
      row: 'F1',
      title: `${ask.write.method} with ${kind} is unclear and sent once`,
      simulator: fault({ kind }),
      ask,
      expected: { kind: 'unclear', reason: 'network', sent: true },
    })),
  ),
  {
    row: 'F1',
    title: 'a write without an answer before the deadline is unclear',
    simulator: fault({ kind: 'silence' }),
    client: { deadlineMs: 500 },
    ask: create,
    expected: { kind: 'unclear', reason: 'timeout', sent: true },
  },
  {
    row: 'F1',
    title: 'a write whose answer was cut without a sign from HTTP is unclear',
    simulator: fault({ kind: 'cut-close-delimited' }),
    ask: create,
    expected: { kind: 'unclear', reason: 'cut', sent: true },
  },
  {
    row: 'F1',
    title: 'a write that never left is unclear with sent: false',
    client: { baseUrl: 'closed' },
    ask: create,
    expected: { kind: 'unclear', reason: 'unreachable', sent: false },
    requests: 0,
  },
  ...[500, 502, 504].map((code) => ({
    row: 'F2',
    title: `a write answered by ${code} is unclear`,
    simulator: fault({ kind: 'error-after-effect', status: code }),
    ask: create,
    expected: { kind: 'unclear', reason: 'server-error', status: code },
  })),
  {
    row: 'F2',
    title: 'a write answered by a login page is unclear',
    simulator: fault({ kind: 'html' }),
    ask: create,
    expected: { kind: 'unclear', reason: 'not-json' },
  },
  {
    row: 'F3',
    title: 'a write answered by 409 is refused with its code',
    simulator: status(409, {}, { error: { code: 'idempotency_conflict' } }),
    ask: createOnce,
    expected: {
      kind: 'refused',
      reason: 'client-error',
      status: 409,
      apiCode: 'idempotency_conflict',
    },
  },
  {
    row: 'F4',
    title: 'a write answered by the 304 of a cache is unclear',
    simulator: status(304),
    ask: create,
    expected: { kind: 'unclear', reason: 'server-error', status: 304 },
  },
  ...[302, 303].map((code) => ({
    row: 'F4',
    title: `a write answered by ${code} is unclear and not followed`,
    simulator: status(code, { Location: '/2.0/customers' }),
    ask: create,
    expected: { kind: 'unclear', reason: 'redirect', status: code },
  })),
  ...[301, 307, 308].map((code) => ({
    row: 'F4',
    title: `a write answered by ${code} is refused and not followed`,
    simulator: status(code, { Location: '/2.0/customers' }),
    ask: create,
    expected: { kind: 'refused', reason: 'redirect', status: code },
  })),
  {
    row: 'F',
    title: 'a throttled write is throttled',
    simulator: status(429, { 'Retry-After': '7' }),
    ask: create,
    expected: { kind: 'throttled', retryAfterSeconds: 7 },
  },
  {
    row: 'F',
    title: 'a write with an error body in a 200 is refused',
    simulator: fault({ kind: 'error-body-200' }),
    ask: create,
    expected: { kind: 'refused', reason: 'error-body' },
  },
  {
    row: 'F',
    title: 'a write with a rejected key is an authentication failure',
    simulator: status(401),
    ask: create,
    expected: { kind: 'authentication-failure' },
  },
  {
    row: 'F',
    title: 'a write that took effect is done',
    ask: createOnce,
    expected: { kind: 'done', status: 201 },
  },
  {
    row: 'F',
    title: 'a write whose answer echoes the key is done, without the answer',
    simulator: fault({ kind: 'echo-key', where: 'body' }),
    ask: create,
    expected: { kind: 'done', status: 201 },
  },
];

export const FAULT_TABLE: readonly FaultCase[] = [
  ...throttled,
  ...badAnswers,
  ...keys,
  ...lists,
  ...writes,
];
