import { expect, test } from '@jest/globals';
import {
  connectionSettingsOf,
  type GivenSettings,
  hasOperations,
} from '../../../functions/services/connection-settings.ts';

const baseUrl = 'https://api.example.com';
const writesOf = (given: GivenSettings) =>
  connectionSettingsOf({ defaults: { baseUrl }, connections: { one: given } }, 'one').write;

test('writes end with the deadline of requests, which is a second at least, and with that of exports', () => {
  expect(writesOf({ deadlineMs: 300 })).toMatchObject({ requestTimeoutMs: 1_000 });
  expect(writesOf({ deadlineMs: 5_000 })).toMatchObject({ requestTimeoutMs: 5_000 });
  expect(writesOf({ maxDurationSeconds: 3_600 })).toMatchObject({ maxDurationSeconds: 3_600 });
});

test('there is something to write as soon as one connection has an operation', () => {
  const operations = [
    { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true } as const,
  ];
  const one = { defaults: {}, connections: { one: { operations }, two: {} } };
  expect(hasOperations(one)).toBe(true);
  expect(hasOperations({ defaults: { operations }, connections: {} })).toBe(true);
  expect(hasOperations({ defaults: { operations: [] }, connections: { two: {} } })).toBe(false);
});

test('settings are checked without a key: no text in them is taken for one', () => {
  const apiOf = (baseUrl: string) =>
    connectionSettingsOf({ defaults: { baseUrl }, connections: {} }, undefined).api;

  expect(apiOf('https://not-a-key.example.com')).toEqual({
    baseUrl: 'https://not-a-key.example.com',
  });
  expect(() => apiOf('http://api.example.com')).toThrow('baseUrl: the scheme must be https');
});
