import { expect, test } from '@jest/globals';
import { parseChangeMessage } from '../../../functions/messages/change-message.ts';

const named = { v: 1, connection: 'acme', exportId: 'request-1' };

test('reads wake-ups and decisions', () => {
  expect(parseChangeMessage(JSON.stringify({ ...named, step: 3 }))).toEqual({
    kind: 'value',
    value: { kind: 'pointer', pointer: { ...named, step: 3 } },
  });
  const { v: _version, ...name } = named;
  const decision = { decision: 'release', by: 'Ada' };
  expect(parseChangeMessage(JSON.stringify({ ...named, ...decision }))).toEqual({
    kind: 'value',
    value: { kind: 'decision', request: { ...name, ...decision } },
  });
});

test.each([
  ['{', 'the message'],
  ['[]', 'connection'],
  [JSON.stringify(named), 'step'],
  [JSON.stringify({ ...named, step: -1 }), 'step'],
  [JSON.stringify({ ...named, v: 2, step: 0 }), 'v'],
  [JSON.stringify({ ...named, step: 0, more: 1 }), 'more'],
  [JSON.stringify({ ...named, connection: 'A', step: 0 }), 'connection'],
  [JSON.stringify({ ...named, decision: 'forget', by: 'Ada' }), 'decision'],
  [JSON.stringify({ ...named, decision: 'release' }), 'by'],
  [JSON.stringify({ ...named, decision: 'release', by: '' }), 'by'],
  [JSON.stringify({ ...named, decision: 'discard', by: 'x'.repeat(2_049) }), 'by'],
])('refuses %s, naming %s', (body, place) => {
  const parsed = parseChangeMessage(body);

  expect(parsed).toMatchObject({ kind: 'malformed', reason: expect.stringContaining(place) });
});
