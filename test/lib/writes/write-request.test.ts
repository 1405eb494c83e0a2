import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../lib/writes/canonical-json.ts';
import { fingerprintOf, parseWriteMessage } from '../../../lib/writes/write-request.ts';

const asked = {
  v: 1,
  connection: 'acme',
  writeId: 'order:42',
  operation: 'create',
  params: { id: '7' },
  body: { name: 'Ada' },
  orderKey: 'customer:7',
} as const;
const { body: _body, ...withoutBody } = asked;
const request = { ...withoutBody, bodyText: '{"name":"Ada"}' };

/** A request with members of which JSON.stringify would change the text. */
function withTexts(members: Readonly<Record<string, string>>): string {
  const { v, connection, writeId, operation } = asked;
  const texts = Object.entries(members).map(([name, text]) => `"${name}": ${text}`);
  return `${JSON.stringify({ v, connection, writeId, operation }).slice(0, -1)}, ${texts.join(' ,\n')} }`;
}

test('reads a request', () => {
  expect(parseWriteMessage(JSON.stringify(asked))).toEqual({
    kind: 'value',
    value: { kind: 'request', request },
  });
});

test.each([
  '9007199254740993',
  '12345678901234567890',
  '1.0',
  '-0',
  '1e2',
  '1E+400',
  '1e-400',
  '0.1000000000000000055511151231257827',
])('takes the number %s with all its digits, as a param and in a body', (digits) => {
  const text = withTexts({
    params: `{ "id" : ${digits} }`,
    body: `{ "z":${digits}, "1":[ ${digits} ], "z":"\\u00e9\\/ x", "__proto__":{"a":1} }`,
  });
  expect(parseWriteMessage(text)).toMatchObject({
    value: {
      request: {
        params: { id: digits },
        bodyText: `{"z":${digits},"1":[${digits}],"z":"\\u00e9\\/ x","__proto__":{"a":1}}`,
      },
    },
  });
});

function nested(levels: number): string {
  return `${'['.repeat(levels)}1${']'.repeat(levels)}`;
}

test.each([
  [JSON.stringify({ ...asked, v: 2 }), 'v'],
  [JSON.stringify({ ...asked, connection: 'Acme' }), 'connection'],
  [JSON.stringify({ ...asked, writeId: '' }), 'writeId'],
  [JSON.stringify({ ...asked, writeId: 'a b' }), 'writeId'],
  [JSON.stringify({ ...asked, writeId: 'a'.repeat(129) }), 'writeId'],
  [JSON.stringify({ ...asked, writeId: 42 }), 'writeId'],
  [JSON.stringify({ ...asked, writeId: '.' }), 'writeId'],
  [JSON.stringify({ ...asked, writeId: '..' }), 'writeId'],
  [JSON.stringify({ ...asked, operation: undefined }), 'operation'],
  [JSON.stringify({ ...asked, operation: ['CANARY'] }), 'operation'],
  [JSON.stringify({ ...asked, params: 'CANARY' }), 'params'],
  [JSON.stringify({ ...asked, params: { id: { secret: 'CANARY' } } }), 'params.id'],
  [JSON.stringify({ ...asked, params: { id: true } }), 'params.id'],
  [JSON.stringify({ ...asked, params: { '<CANARY>': true } }), 'params'],
  [JSON.stringify({ ...asked, orderKey: 'CANARY CANARY' }), 'orderKey'],
  [JSON.stringify({ ...asked, CANARY: 1 }), 'CANARY'],
  [JSON.stringify({ ...asked, '<CANARY>': 1 }), 'write'],
  [JSON.stringify({ ...asked, constructor: 'CANARY' }), 'constructor'],
  [withTexts({ __proto__X: '1' }).replace('__proto__X', '__proto__'), '__proto__'],
  [withTexts({ operation: '"CANARY"' }), 'operation'],
  [withTexts({ writeId: '"CANARY"' }), 'writeId'],
  [withTexts({ params: '{"id":"1","\\u0069d":"CANARY"}' }), 'params.id'],
  [withTexts({ body: nested(101) }), 'body'],
  [withTexts({ body: `"${'x'.repeat(256 * 1024 - 1)}"` }), 'body'],
  ['"text"', 'write'],
  ['{"v":1', 'write'],
  [`\ufeff${JSON.stringify(asked)}`, 'write'],
  [withTexts({ body: '"\ud800"' }), 'write'],
])('names the place that is wrong in %.60j…, and no value', (text, setting) => {
  const parsed = parseWriteMessage(text);
  expect(parsed).toMatchObject({ kind: 'malformed', setting });
  const { reason = '' } = { reason: '', ...parsed };
  expect(reason.replace(setting, '')).not.toContain('CANARY');
});

test('takes a body as deep and as large as it may be', () => {
  const large = `"${'x'.repeat(256 * 1024 - 2)}"`;
  for (const body of [nested(100), large, ` ${large} `]) {
    expect(parseWriteMessage(withTexts({ body }))).toMatchObject({
      value: { request: { bodyText: body.trim() } },
    });
  }
});

test('tells a pointer from a request in a message', () => {
  const pointer = { v: 1, connection: 'acme', writeId: 'w', attempt: 3 };
  expect(parseWriteMessage(JSON.stringify(pointer))).toEqual({
    kind: 'value',
    value: { kind: 'pointer', pointer },
  });
  expect(parseWriteMessage('{')).toMatchObject({ kind: 'malformed' });
});

test('gives equal writes equal fingerprints and others others', () => {
  const { bodyText: _text, ...bare } = request;
  for (const bodyText of ['{"name":"Ada"}', '{"n\\u0061me":"\\u0041da"}']) {
    expect(fingerprintOf({ ...request, bodyText, writeId: 'another' })).toBe(
      fingerprintOf(request),
    );
  }
  const others = [
    { ...request, operation: 'replace' },
    { ...request, params: { id: '8' } },
    { ...request, params: { id: '7.0' } },
    { ...request, bodyText: '{"name":"Bob"}' },
    { ...request, bodyText: '{"name":"Ada","name":"Ada"}' },
    { ...request, bodyText: '{"name":9007199254740992}' },
    { ...request, bodyText: '{"name":9007199254740993}' },
    { ...request, bodyText: '{"name":1}' },
    { ...request, bodyText: '{"name":1.0}' },
    { ...request, bodyText: 'null' },
    bare,
    { ...request, orderKey: 'customer:8' },
  ];
  const all = [request, ...others].map(fingerprintOf);
  expect(new Set(all).size).toBe(all.length);
});

test('one form stands for every JSON value, whatever the order of members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(JSON.parse(canonicalJson(json))).toEqual(JSON.parse(json));
    }),
  );
  expect(canonicalJson('{"b":1,"a":[{"d":1, "c":2}]}')).toBe('{"a":[{"c":2,"d":1}],"b":1}');
});
