import { expect, test } from '@jest/globals';
import { parseQueuedWrite as parse } from '../../../functions/messages/write-requested.ts';
import { schemaOf } from '../../faults/check-event.ts';

const parseQueuedWrite = (text: string) => parse(text, 'Team');
const detail = { v: 1, connection: 'demo', writeId: 'w-1', operation: 'create' };
/** Names this integration, as far as the detail can. */
const named = (given: unknown) =>
  typeof given === 'object' && given !== null ? { integration: 'Team', ...given } : given;
const eventOf = (given: unknown, more: object = {}) =>
  JSON.stringify({
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    source: 'customers-functions.requests',
    'detail-type': 'Customer Write Requested',
    detail: named(given),
    ...more,
  });

test('reads an event, a whole request and a pointer', () => {
  const request = { kind: 'value', value: { kind: 'request', request: detail } };
  const pointer = { v: 1, connection: 'demo', writeId: 'w-1', attempt: 2 };

  expect(parseQueuedWrite(eventOf(detail))).toEqual(request);
  expect(parseQueuedWrite(JSON.stringify(detail))).toEqual(request);
  expect(parseQueuedWrite(JSON.stringify(pointer))).toEqual({
    kind: 'value',
    value: { kind: 'pointer', pointer },
  });
});

test('names a write after its event when it has no id of its own', () => {
  const { writeId: _own, ...rest } = detail;

  expect(parseQueuedWrite(eventOf(rest))).toMatchObject({
    value: { request: { writeId: '6a7e8feb-b491-4cf7-a9f1-bf3703467718' } },
  });
});

test.each([
  [eventOf(detail, { source: 'somebody.else' }), 'detail-type: expected an event'],
  [eventOf(detail, { 'detail-type': 'Export Requested' }), 'detail-type: expected an event'],
  [eventOf({ ...detail, integration: 'Other' }), 'detail.integration: expected "Team".'],
  [eventOf({ ...detail, integration: undefined }), 'detail.integration: expected "Team".'],
  [eventOf('text'), 'detail: expected an object'],
  [eventOf({ ...detail, operation: 7 }), 'detail.operation: expected text'],
  ['{"v":1', 'write:'],
])('says why %.60s… cannot be understood', (text, reason) => {
  expect(parseQueuedWrite(text)).toMatchObject({
    kind: 'malformed',
    reason: expect.stringContaining(reason),
  });
});

/** An event whose detail has these members as they are written here. */
const eventWith = (members: string) =>
  eventOf(detail).replace('"operation"', `${members},"operation"`);

test.each([
  ['"body":{"a":[1,9007199254740993]}', 'detail.body.a[1]'],
  ['"body":{"a":9007199254740992}', 'detail.body.a'],
  ['"body":0.12345678901234567', 'detail.body'],
  ['"body":{"<script>":{"b":1e-400}}', 'detail.body.b'],
  ['"params":{"id":12345678901234567890}', 'detail.params.id'],
  ['"params":{"id":1,"id":2}', 'detail.params.id'],
  ['"operation":"other"', 'detail.operation'],
  ['"constructor":1', 'detail.constructor'],
  ['"__proto__":{}', 'detail.__proto__'],
])('refuses an event with %s, naming the place', (members, place) => {
  expect(parseQueuedWrite(eventWith(members))).toMatchObject({
    kind: 'malformed',
    reason: expect.stringMatching(new RegExp(`^${place.replace(/[[\].]/g, '\\$&')}: `)),
  });
});

test('takes from an event what came as text and what doubles keep, as it is written', () => {
  const body = '{"b":[1.50,9007199254740991,-0,"9007199254740993"],"a":1,"b":"\\u00e9"}';
  const params = '{"id":1e2}';
  expect(parseQueuedWrite(eventWith(`"body": ${body},"params":${params}`))).toMatchObject({
    value: { request: { bodyText: body, params: { id: '1e2' } } },
  });
});

test('takes U+FFFD as an escape alone: itself it may stand for what SQS does not take', () => {
  const request = `{"v":1,"connection":"demo","writeId":"a","operation":"create","body":"\\ufffd"}`;

  expect(parseQueuedWrite(request)).toMatchObject({
    value: { request: { bodyText: '"\\ufffd"' } },
  });
  for (const text of [request.replace('\\ufffd', '\ufffd'), eventWith('"body":"a\ufffd"')]) {
    expect(parseQueuedWrite(text)).toMatchObject({
      kind: 'malformed',
      reason: expect.stringMatching(/^write: holds U\+FFFD/),
    });
  }
});

test.each([
  [detail, true],
  [{ ...detail, params: { id: '7', other: 8 }, body: [null], orderKey: 'a:b' }, true],
  [{ v: 1, connection: 'demo', operation: 'create' }, true],
  [{ ...detail, connection: 'Demo' }, false],
  [{ ...detail, writeId: 'a b' }, false],
  [{ ...detail, writeId: 'a'.repeat(129) }, false],
  [{ ...detail, orderKey: '' }, false],
  [{ ...detail, operation: 'x'.repeat(65) }, false],
  [{ ...detail, params: { id: [1] } }, false],
  [{ ...detail, params: 'id' }, false],
  [{ ...detail, v: 2 }, false],
  [{ ...detail, more: 1 }, false],
  [{ v: 1, connection: 'demo' }, false],
  [null, false],
])('the schema and the function agree on %j', (given, isValid) => {
  expect(schemaOf('customer-write-requested')(named(given))).toBe(isValid);
  expect(parseQueuedWrite(eventOf(given)).kind).toBe(isValid ? 'value' : 'malformed');
});
