import { expect, test } from '@jest/globals';
import {
  fanOutOf,
  fanOutRest,
  parseFanOutMessage,
  tooFarAhead,
} from '../../../functions/messages/fan-out-message.ts';

const scheduledTime = '2026-01-01T00:00:00Z';
const NOW_MS = Date.parse(scheduledTime);

const message = {
  v: 1 as const,
  scheduledTime,
  list: 'invoices',
  windowMinutes: 30,
  except: ['own'],
};
const failedOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ connection: `c${index}`, problem: 'Error' }));

test('a planned time is spread over its window, and starts that failed are tried again at once', () => {
  expect(fanOutOf(message)).toEqual({
    scheduledAtMs: Date.parse(scheduledTime),
    windowMs: 1_800_000,
  });
  expect(fanOutOf({ ...message, after: 'b' })).toMatchObject({ after: 'b' });
  expect(fanOutOf({ ...message, only: ['a'] })).toMatchObject({ windowMs: 0 });
});

test.each([[undefined], ['invoices']])('a message names its list, or none: %p', (list) => {
  const given = { v: 1, scheduledTime, ...(list === undefined ? {} : { list }) };
  expect(parseFanOutMessage(JSON.stringify(given))).toEqual({
    kind: 'value',
    value: given,
  });
});

test('a message with what is no name of a list is put aside with the reason', () => {
  const text = JSON.stringify({ ...message, list: 'In voices' });
  expect(parseFanOutMessage(text)).toMatchObject({
    kind: 'malformed',
    reason: expect.stringContaining('all exports: list is missing'),
  });
});

test.each([
  ['9999-12-31T23:59:59Z', true],
  ['2026-01-02T00:00:00.001Z', true],
  ['2026-01-02T00:00:00Z', false],
  ['1970-01-01T00:00:00Z', false],
  // Of such an offset nothing makes a time.
  ['2026-01-01T00:00:00+01', true],
])('a message for %s waits for no time that is far ahead: %s', (scheduledTime, isFar) => {
  const reason = tooFarAhead({ v: 1, scheduledTime }, NOW_MS);
  expect(reason).toEqual(
    isFar ? expect.stringContaining('all exports: scheduledTime is missing') : undefined,
  );
});

test('nothing goes on when all were started', () => {
  expect(fanOutRest(message, { failed: [] })).toEqual([]);
});

test('failed starts go on a hundred a message, and the rest behind the last that was started', () => {
  const rest = { after: 'm', dueAtMs: NOW_MS + 60_000 };
  const next = fanOutRest(message, { failed: failedOf(201), rest }) ?? [];

  expect(next.map(({ message: { only } }) => only?.length)).toEqual([100, 100, 1, undefined]);
  expect(next.slice(0, 3).flatMap(({ message: { only = [] } }) => only)).toEqual(
    failedOf(201).map(({ connection }) => connection),
  );
  expect(next[0]).toMatchObject({
    message: { v: 1, scheduledTime, list: 'invoices' },
  });
  expect(next.at(-1)).toEqual({ message: { ...message, after: 'm' }, dueAtMs: NOW_MS + 60_000 });
  for (const each of next) {
    expect(parseFanOutMessage(JSON.stringify(each.message))).toEqual({
      kind: 'value',
      value: each.message,
    });
  }
});

test('a message whose time did not suffice for a single start comes back', () => {
  expect(fanOutRest(message, { failed: [], rest: { after: 'm' } })).toBeUndefined();
});

test('a second chance that failed, or was not got through, makes the message come back', () => {
  const again = { ...message, only: ['a', 'b'] };

  expect(fanOutRest(again, { failed: failedOf(1) })).toBeUndefined();
  expect(fanOutRest(again, { failed: [], rest: { after: 'a', dueAtMs: NOW_MS } })).toBeUndefined();
  expect(fanOutRest(again, { failed: [] })).toEqual([]);
});

test.each([
  [{ windowMinutes: 1_440 }, true],
  [{ windowMinutes: 1_441 }, false],
  [{ windowMinutes: 0 }, false],
  [{ only: ['a'] }, true],
  // It would start no export, and none would notice.
  [{ only: [] }, false],
])('a message with %j can be understood: %s', (own, isUnderstood) => {
  const { kind } = parseFanOutMessage(JSON.stringify({ ...message, ...own }));
  expect(kind).toBe(isUnderstood ? 'value' : 'malformed');
});
