import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalJson,
  fingerprintOf,
  parseRequestedWrite,
  parseWriteMessage,
} from '../../../lib/writes/write-request.ts';

const request = {
  v: 1,
  connection: 'acme',
  writeId: 'order:42',
  operation: 'create',
  params: { id: '7' },
  body: { name: 'Ada' },
  orderKey: 'customer:7',
} as const;

test('reads a request, and takes numbers among the params as text', () => {
  expect(parseRequestedWrite(request)).toEqual({ kind: 'value', value: request });
  expect(parseRequestedWrite({ ...request, params: { id: 7 } })).toEqual({
    kind: 'value',
    value: request,
  });
});

test.each([
  [{ ...request, v: 2 }, 'v'],
  [{ ...request, connection: 'Acme' }, 'connection'],
  [{ ...request, writeId: '' }, 'writeId'],
  [{ ...request, writeId: 'a b' }, 'writeId'],
  [{ ...request, writeId: 'a'.repeat(129) }, 'writeId'],
  [{ ...request, operation: undefined }, 'operation'],
  [{ ...request, params: { id: { secret: 'CANARY' } } }, 'params.id'],
  [{ ...request, orderKey: 'CANARY CANARY' }, 'orderKey'],
  [{ ...request, CANARY: 1 }, 'CANARY'],
  ['text', 'write'],
])('names the place that is wrong in %j, and no value', (given, setting) => {
  const parsed = parseRequestedWrite(given);
  expect(parsed).toMatchObject({ kind: 'malformed', setting });
  const { reason = '' } = { reason: '', ...parsed };
  expect(reason.replace(setting, '')).not.toContain('CANARY');
});

test('tells a pointer from a request in a message', () => {
  const pointer = { v: 1, connection: 'acme', writeId: 'w', attempt: 3 };
  expect(parseWriteMessage(JSON.stringify(pointer))).toEqual({
    kind: 'value',
    value: { kind: 'pointer', pointer },
  });
  expect(parseWriteMessage(JSON.stringify(request))).toEqual({
    kind: 'value',
    value: { kind: 'request', request },
  });
  expect(parseWriteMessage('{')).toMatchObject({ kind: 'malformed' });
});

test('gives equal writes equal fingerprints and others others', () => {
  const same = { ...request, body: JSON.parse('{ "name" : "Ada" }'), writeId: 'another' };
  expect(fingerprintOf(same)).toBe(fingerprintOf(request));
  const { body: _body, ...withoutBody } = request;
  const others = [
    { ...request, operation: 'replace' },
    { ...request, params: { id: '8' } },
    { ...request, body: { name: 'Bob' } },
    { ...request, body: null },
    withoutBody,
    { ...request, orderKey: 'customer:8' },
  ];
  const all = [request, ...others].map(fingerprintOf);
  expect(new Set(all).size).toBe(all.length);
});

test('writes every JSON value so that it reads back as the same one, whatever the order of members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(JSON.parse(canonicalJson(JSON.parse(json)))).toEqual(JSON.parse(json));
    }),
  );
  expect(canonicalJson({ b: 1, a: [{ d: 1, c: 2 }] })).toBe(
    canonicalJson({ a: [{ c: 2, d: 1 }], b: 1 }),
  );
});
