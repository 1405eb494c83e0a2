import { expect, test } from '@jest/globals';
import { parseWakeUp } from '../../../functions/messages/wake-up.ts';
import { wakeUpOf } from '../../../lib/exports/export-steps.ts';
import { stateOf } from '../../lib/exports/state-of.ts';

const GOOD = { v: 1, connection: 'acme', exportId: 'request-1', step: 0 };

test('reads what it writes', () => {
  const body = JSON.stringify(wakeUpOf(stateOf({ step: 7 })));
  expect(parseWakeUp(body)).toEqual({ kind: 'value', value: { ...GOOD, step: 7 } });
});

test.each([
  ['no JSON', '{', 'the message'],
  ['null', 'null', 'the message'],
  ['another version', JSON.stringify({ ...GOOD, v: 2 }), 'v'],
  ['a missing step', JSON.stringify({ ...GOOD, step: undefined }), 'step'],
  ['a step in between', JSON.stringify({ ...GOOD, step: 0.5 }), 'step'],
  ['a negative step', JSON.stringify({ ...GOOD, step: -1 }), 'step'],
  ['a connection like a path', JSON.stringify({ ...GOOD, connection: '../other' }), 'connection'],
  ['an export id like a path', JSON.stringify({ ...GOOD, exportId: 'a/b' }), 'exportId'],
  ['a member too much', JSON.stringify({ ...GOOD, url: 'https://secret.example' }), 'url'],
])('refuses %s and names the place', (_title, body, place) => {
  const parsed = parseWakeUp(body);
  expect(parsed).toMatchObject({ kind: 'malformed' });
  expect(parsed.kind === 'malformed' ? parsed.reason : '').toContain(`: ${place} is`);
  expect(JSON.stringify(parsed)).not.toContain('secret.example');
});
