import { expect, test } from '@jest/globals';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';
import { advanceWalk, startWalk } from '../../../lib/customers-api/list-walk.ts';
import type { ListOutcome } from '../../../lib/customers-api/outcome.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const KEY = 'hostile-bodies-key-123';

/** A client whose API answers everything with this body. */
function clientFor(body: string | Uint8Array, { status = 200, headers = {} }: Answer = {}) {
  const type = { 'Content-Type': 'application/json' };
  const fetch = async () =>
    new Response(typeof body === 'string' ? body : Buffer.from(body), {
      status,
      headers: { ...type, ...headers },
    });
  return createCustomersClient({ baseUrl: 'https://api.example', key: KEY, fetch });
}

function list(body: string | Uint8Array, answer?: Answer): Promise<ListOutcome> {
  return clientFor(body, answer).listPage(1);
}

function members(count: number, value = '0'): string {
  return Array.from({ length: count }, (_, index) => `"m${index}":${value}`).join(',');
}

const ITEMS = '"customers":[{"id":1}]';

const refused = (reason: string, message: RegExp) => ({
  kind: 'refused',
  reason,
  message: expect.stringMatching(message),
});

test.each<[string, string, object]>([
  [
    'meta of more than 64 KiB',
    `{${ITEMS},"meta":{"note":"${'x'.repeat(65_536)}"}}`,
    refused('too-complex', /meta has 65\d{3} bytes, more than 65536/),
  ],
  [
    'meta of more than 1,000 members',
    `{${ITEMS},"meta":{${members(1_001)}}}`,
    refused('too-complex', /meta has 1001 members, more than 1000/),
  ],
  [
    'meta with more than 1,000 elements in a list',
    `{${ITEMS},"meta":{"a":[0${',0'.repeat(1_000)}]}}`,
    refused('too-complex', /meta has 1002 members/),
  ],
  [
    'meta that is nested deeper than 8',
    `{${ITEMS},"meta":${'{"a":'.repeat(8)}[]${'}'.repeat(8)}}`,
    refused('too-complex', /meta is nested 9 deep, deeper than 8/),
  ],
  [
    'more than 1,000 members beside the records',
    `{${members(1_000)},${ITEMS}}`,
    refused('too-complex', /more than 1000 members.*set itemsKey/),
  ],
  [
    'more than 1,000 members one level deeper',
    `{"a":{${members(1_001)}}}`,
    refused('too-complex', /more than 1000 members/),
  ],
  [
    'more than 1,000 spellings of evidence',
    `{${ITEMS},${Array.from({ length: 1_001 }, (_, at) => `"t${'-'.repeat(at)}otal":1`).join(',')}}`,
    refused('too-complex', /more than 1000 members/),
  ],
  [
    'more than 1,000 levels',
    `{${ITEMS},"x":${'['.repeat(1_000)}${']'.repeat(1_000)}}`,
    refused('too-complex', /nested deeper than 1000/),
  ],
  [
    'more than 100,000 records',
    `{"customers":[0${',0'.repeat(100_000)}]}`,
    refused('too-large', /more than 100000 records.*smaller perPage/),
  ],
  [
    'more than 100,000 records with white space between them',
    `{"customers":[0${', 0'.repeat(100_000)}]}`,
    refused('too-large', /more than 100000 records/),
  ],
])('a page with %s is refused, and says what is too much', async (_, body, expected) => {
  const outcome = await list(body);

  expect(outcome).toMatchObject(expected);
  expect(JSON.stringify(outcome).length).toBeLessThan(1_000);
});

test.each<[string, string, object]>([
  [
    '100,000 records',
    `{"customers":[0${',0'.repeat(99_999)}]}`,
    { kind: 'page', recordCount: 100_000 },
  ],
  [
    'a record of a million members',
    `{"customers":[{${members(1_000_000)},"id":7}],"meta":{"total":1}}`,
    { kind: 'page', recordCount: 1, ids: ['7'], evidence: { total: 1 } },
  ],
  [
    'a number of a million digits in a record',
    `{"customers":[${'9'.repeat(1_000_000)}]}`,
    { kind: 'page', recordCount: 1 },
  ],
  [
    'a number of a million digits as the total',
    `{${ITEMS},"total":${'9'.repeat(1_000_000)}}`,
    { kind: 'page', evidence: { warnings: ['total is not usable as total'] } },
  ],
  [
    'a link of a million characters to the next page',
    `{${ITEMS},"next":"${'x'.repeat(1_000_000)}"}`,
    { kind: 'page', evidence: { nextPage: 'some' } },
  ],
  [
    'a name of a million characters',
    `{"${'x'.repeat(1_000_000)}":1,${ITEMS}}`,
    { kind: 'page', recordCount: 1 },
  ],
  [
    'a hundred thousand lists that are none',
    `{${ITEMS},"other":{${members(100_000, '[]')}}}`,
    { kind: 'page', recordCount: 1 },
  ],
  [
    'the same member a thousand times',
    `{${`"total":1,`.repeat(998)}"total":2,${ITEMS}}`,
    { kind: 'page', evidence: { total: 2 } },
  ],
])('a page with %s is taken', async (_, body, expected) => {
  expect(await list(body)).toMatchObject(expected);
});

test('with itemsKey the records are found beside any number of members', async () => {
  const fetch = async () => new Response(`{${members(5_000)},"meta":{"total":1},${ITEMS}}`);
  const client = createCustomersClient({
    baseUrl: 'https://api.example',
    key: KEY,
    itemsKey: 'customers',
    fetch,
  });

  expect(await client.listPage(1)).toMatchObject({ kind: 'page', meta: { total: 1 } });
});

test('meta is left out, and the page taken, where the list itself makes it too large', async () => {
  const records = Array.from({ length: 10_000 }, (_, id) => `{"id":${id}}`).join(',');
  const fetch = async () => new Response(`{"meta":{"total":10000,"list":[${records}]}}`);
  const options = { baseUrl: 'https://api.example', key: KEY, fetch };
  const client = createCustomersClient({ ...options, itemsKey: 'meta.list' });

  expect(await client.listPage(1)).toMatchObject({
    recordCount: 10_000,
    metaText: undefined,
    evidence: { total: 10_000 },
  });
});

test.each<[string, string, string | undefined]>([
  ['in front of a megabyte', `{"code":"E42","trace":"${'x'.repeat(1_000_000)}"}`, 'E42'],
  ['inside an object that is cut', `{"error":{"code":"E42","t":[${'{},'.repeat(100_000)}`, 'E42'],
  ['in the first of very many', `{"errors":[{"code":"E42"}${',{}'.repeat(100_000)}]}`, 'E42'],
  ['behind 64 KiB', `{"trace":"${'x'.repeat(65_536)}","code":"E42"}`, undefined],
  ['of a million characters', `{"code":"${'x'.repeat(1_000_000)}"}`, undefined],
  ['with a control character', '{"code":"E\\u000042"}', undefined],
  ['in a text that breaks off', '{"code":"E42"', 'E42'],
  ['in a string that breaks off', '{"code":"E42', undefined],
  ['behind a name with a wrong escape', '{"\\x":1,"code":"E42"}', undefined],
  ['as an element', '{"errors":["E42"]}', 'E42'],
  ['in a list of lists', '{"errors":[["E42"]]}', undefined],
  ['behind a byte order mark', '\ufeff{"code":"E42"}', 'E42'],
  ['nowhere: no JSON', '<html>', undefined],
  ['nowhere: nothing', '', undefined],
])('the code of an error is read %s', async (_, body, apiCode) => {
  for (const status of [400, 500]) {
    const outcome = await list(body, { status });

    expect(outcome).toMatchObject({ status });
    expect('apiCode' in outcome ? outcome.apiCode : undefined).toBe(apiCode);
    expect(JSON.stringify(outcome).length).toBeLessThan(500);
  }
});

test.each<[string, string]>([
  ['an object of unknown members', '{"error":{"x":1}}'],
  ['a list of unknown things', '{"errors":[[]]}'],
  ['a text of a megabyte', `{"error":"${'x'.repeat(1_000_000)}"}`],
  ['a number of a megabyte', `{"error":${'1'.repeat(1_000_000)}}`],
  ['the last of ten thousand members', `{${members(10_000)},"error":1}`],
])('an error in a 2xx is seen: %s', async (_, body) => {
  expect(await list(body)).toMatchObject({ kind: 'refused', reason: 'error-body' });
  const written = await clientFor(body).write({ method: 'POST', resource: 'customers', body: {} });
  expect(written).toMatchObject({ kind: 'refused', reason: 'error-body' });
});

test.each([
  '{"id":7,"name":"Ada","errors":[{"code":"phone"}]}',
  '{"id":"7","status":"failed","message":"The phone is unreachable."}',
])('a record that reports an error may be what a write made: %s', async (body) => {
  const client = clientFor(body, { status: 201 });
  const written = await client.write({ method: 'POST', resource: 'customers', body: {} });

  expect(written).toMatchObject({ kind: 'unclear', reason: 'error-body', sent: true, status: 201 });
  expect(await client.read({ resource: 'customers/7' })).toMatchObject({ kind: 'resource' });
});

test.each([
  '{"error_code":"S000","message":"Created","data":{"id":1}}',
  '{"error_message":"Look at the log."}',
  '{"created":1,"success":0,"message":"accepted"}',
])('a doubtful sign of an error leaves open whether a write succeeded: %s', async (body) => {
  const client = clientFor(body, { status: 201 });

  expect(await client.write({ method: 'POST', resource: 'customers', body: {} })).toMatchObject({
    kind: 'unclear',
    reason: 'error-body',
    sent: true,
    status: 201,
  });
});

test.each([
  '{"errorCode":200,"message":"Customer created","customer":{"id":1}}',
  '{"errorMessage":"No error","customer":{"id":1}}',
  '{"errorMessage":"Successfully created"}',
  '{"errMsg":"request:ok","data":{"id":1}}',
])('a write succeeded that is answered by %s', async (body) => {
  const client = clientFor(body, { status: 201 });
  const written = await client.write({ method: 'POST', resource: 'customers', body: {} });

  expect(written).toMatchObject({ kind: 'done', status: 201 });
});

test('the body of an error is read to 64 KiB, and the rest is cancelled', async () => {
  let sentBytes = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sentBytes += 16_384;
      controller.enqueue(Buffer.alloc(16_384, ' '));
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  const fetch = async () => new Response(body, { status: 500 });
  const client = createCustomersClient({ baseUrl: 'https://api.example', key: KEY, fetch });

  expect(await client.listPage(1)).toMatchObject({ kind: 'unavailable', status: 500 });
  expect(isCancelled).toBe(true);
  expect(sentBytes).toBeLessThanOrEqual(7 * 16_384);
});

test('what the API says of itself is short and prints', async () => {
  const charset = `x${'y'.repeat(10_000)}`;
  const outcome = await list('{"a":"ä"}', {
    headers: { 'Content-Type': `application/json; charset=${charset}` },
  });
  expect(JSON.stringify(outcome).length).toBeLessThan(400);

  const type = `application/${'z'.repeat(10_000)}`;
  const other = await list('<html>', { headers: { 'Content-Type': type } });
  expect(JSON.stringify(other).length).toBeLessThan(600);
});

test('the names of many lists are told in part', async () => {
  const outcome = await list(`{${members(900, '[{}]')}}`);

  expect(outcome).toMatchObject(refused('items-ambiguous', /m0, m1, .*m19, and 880 more/));
  expect(JSON.stringify(outcome).length).toBeLessThan(500);
});

test('evidence that is not believed is told in part, without what does not print', async () => {
  const odd = Array.from({ length: 500 }, (_, at) => `"to${'-'.repeat(at)}tal":"\u202e"`);
  const page = await list(`{${ITEMS},"data":{"page_\\u0000":1,${odd.join(',')}}}`);

  if (page.kind !== 'page') throw new Error(page.kind);
  expect(page.evidence.warnings).toHaveLength(20);
  expect(page.evidence.warnings.join('').length).toBeLessThan(20 * 200);
});

test('ids of any length take little of what is remembered between pages', async () => {
  const page = await list(`{"customers":[{"id":"${'x'.repeat(1_000_000)}"},{"id":2}]}`);

  if (page.kind !== 'page') throw new Error(page.kind);
  const { walk } = advanceWalk(startWalk(1), page);
  expect(JSON.stringify(walk).length).toBeLessThan(1_000);
});
