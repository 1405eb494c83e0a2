import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wakeUpOf } from '../../../lib/exports/export-steps.ts';
import { parseWakeUp } from '../../../lib/exports/wake-up.ts';
import { MAX_TIME_MS } from '../../../lib/gate/blocked-until.ts';
import { delaySecondsUntil } from '../../../lib/steps/delay.ts';
import { stateOf } from './state-of.ts';

const GOOD = { v: 1, connection: 'acme', exportId: 'request-1', step: 0 };

test('reads what it writes', () => {
  const body = JSON.stringify(wakeUpOf(stateOf({ step: 7 })));
  expect(parseWakeUp(body)).toEqual({ kind: 'wake-up', wakeUp: { ...GOOD, step: 7 } });
});

test.each([
  ['no text', GOOD, 'the message'],
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

test('delays by whole seconds from 0 to 900, never too little within that', () => {
  // Whole, as clocks tell them: added to a date, a part of a millisecond is lost to rounding.
  const timeMs = fc.integer({ min: -MAX_TIME_MS, max: MAX_TIME_MS });
  fc.assert(
    fc.property(timeMs, timeMs, (nowMs, atMs) => {
      const seconds = delaySecondsUntil(atMs, nowMs);
      expect(Number.isInteger(seconds) && seconds >= 0 && seconds <= 900).toBe(true);
      if (seconds < 900) expect(nowMs + seconds * 1000).toBeGreaterThanOrEqual(atMs);
    }),
  );
});
