import { expect, test } from '@jest/globals';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import {
  type ComparisonLine,
  decideAccept,
  decideBegin,
  decideHold,
  leftBy,
  overIn,
} from '../../../lib/changes/comparison-line.ts';
import { defined } from '../../../lib/defined.ts';
import { changeStateOf } from './change-state-of.ts';

const NOW_MS = Date.UTC(2026, 0, 2);
const HOUR_MS = 3600 * 1000;
const lease = { owner: 'me', untilMs: NOW_MS + 1000 };
const before = { exportId: 'before', startedAtMs: NOW_MS - 1000, manifestKey: 'm' };
const told = { ...before, connection: 'acme', list: 'customers', exportId: 'now' };
const newest = { ...told, startedAtMs: NOW_MS };

function lineWith(content: Partial<ComparisonLine>): ComparisonLine {
  return { v: 1, connection: 'acme', list: 'customers', writeToken: 't', ...content };
}

const comparing = { exportId: 'other', sinceMs: NOW_MS };

test.each([
  ['nothing was compared before', undefined, 'begin'],
  ['an older export is the base', { base: before }, 'begin'],
  ['it is the base itself', { base: newest }, 'overtaken'],
  ['a newer export is the base', { base: { ...before, startedAtMs: NOW_MS + 1 } }, 'overtaken'],
  ['record events are being sent', { base: before, publishing: 'before' }, 'wait'],
  ['another comparison has the lease', { comparing: { ...comparing, lease } }, 'wait'],
  [
    'its own other worker has the lease',
    { comparing: { ...comparing, exportId: 'now', lease } },
    'wait',
  ],
  ['another comparison goes on soon', { comparing }, 'wait'],
  [
    'another one has been away too long',
    { comparing: { ...comparing, sinceMs: NOW_MS - HOUR_MS } },
    'begin',
  ],
  ['it goes on itself', { comparing: { ...comparing, exportId: 'now' } }, 'begin'],
  ['changes wait for a person', { base: before, held: 'held' }, 'begin'],
] as const)('where %s, a comparison may %s', (_, content, expected) => {
  const line = content && lineWith(content);

  expect(decideBegin(line, newest, lease, NOW_MS).kind).toBe(expected);
});

test('a comparison keeps what the line has, and takes its place in it', () => {
  const line = lineWith({ base: before, held: 'held' });

  expect(decideBegin(line, newest, lease, NOW_MS)).toEqual({
    kind: 'begin',
    base: before,
    line: { base: before, held: 'held', comparing: { exportId: 'now', sinceMs: NOW_MS, lease } },
  });
});

test('only the worker that has a comparison gives it back', () => {
  const line = lineWith({ comparing: { ...comparing, lease } });

  expect(leftBy(line, 'me', NOW_MS + 5)).toEqual({
    comparing: { exportId: 'other', sinceMs: NOW_MS + 5 },
  });
  expect(leftBy(line, 'you', NOW_MS + 5)).toBeUndefined();
});

test.each([
  ['what it was compared with is the base', 'found', { base: before }, 'accept'],
  ['it is the base already', 'found', { base: { ...before, exportId: 'now' } }, 'accepted'],
  ['another one is the base by now', 'found', { base: { ...before, exportId: 'x' } }, 'outdated'],
  ['the base is gone', 'found', {}, 'outdated'],
  [
    'a newer one is the base',
    'found',
    { base: { ...before, startedAtMs: NOW_MS + 1 } },
    'superseded',
  ],
] as const)('where %s, it is: %s', (_, status, content, expected) => {
  expect(decideAccept(lineWith(content), changeStateOf({ status })).kind).toBe(expected);
});

test.each([
  ['there was and is no base', undefined, undefined, 'accept'],
  ['there is a base by now', undefined, 'x', 'outdated'],
  ['the base could not be compared', 'x', 'x', 'accept'],
  ['another one is the base by now', 'x', 'y', 'outdated'],
])('where %s (seen: %s, now: %s), the first is: %s', (_, passedOver, exportId, expected) => {
  const { since: _since, ...state } = changeStateOf({ status: 'first' });
  const first = passedOver === undefined ? state : { ...state, passedOver };
  const line = lineWith(exportId === undefined ? {} : { base: { ...before, exportId } });
  expect(decideAccept(line, first).kind).toBe(expected);
});

test('what is accepted is the base, and nothing before it waits any more', () => {
  const line = lineWith({
    base: before,
    held: 'held',
    comparing: { ...comparing, exportId: 'now' },
  });
  const accepted = decideAccept(line, changeStateOf({ status: 'publishing' }));
  const { exportId, startedAtMs, manifestKey } = changeStateOf();

  expect(accepted).toEqual({
    kind: 'accept',
    line: { base: { exportId, startedAtMs, manifestKey }, publishing: 'now' },
  });
});

const heldSince = (startedAtMs: number, status: ChangeState['status'] = 'held') => ({
  exportId: 'other',
  state: changeStateOf({ exportId: 'other', startedAtMs, status }),
});

test.each([
  ['nothing is held', undefined, undefined, 'accept'],
  ['it is held already', 'now', undefined, 'accept'],
  ['nobody has looked what is held', 'other', undefined, 'look'],
  ['another one is held than was looked at', 'third', heldSince(NOW_MS - 1), 'look'],
  ['an older one is held', 'other', heldSince(NOW_MS - 1), 'accept'],
  ['a newer one is held', 'other', heldSince(NOW_MS + 1), 'superseded'],
  [
    'of two that began at the same time the later one is held',
    'other',
    heldSince(NOW_MS),
    'superseded',
  ],
  ['a newer one is decided about', 'other', heldSince(NOW_MS + 1, 'discarded'), 'accept'],
  ['the one that is held is gone', 'other', { exportId: 'other', state: undefined }, 'accept'],
])('where %s, changes to be held are let in or not', (_, held, looked, expected) => {
  const line = lineWith({
    base: before,
    comparing: { ...comparing, exportId: 'now' },
    ...defined({ held }),
  });
  const decision = decideHold(line, changeStateOf({ status: 'held' }), looked);

  expect(decision).toEqual(
    {
      accept: { kind: 'accept', line: { base: before, held: 'now' } },
      look: { kind: 'look', exportId: held },
      superseded: { kind: 'superseded' },
    }[expected],
  );
});

test('what was compared with another base is not held', () => {
  const line = lineWith({ base: { ...before, exportId: 'x' }, held: 'other' });
  expect(decideHold(line, changeStateOf({ status: 'held' }), undefined).kind).toBe('outdated');
});

test('what is over leaves no more than the base', () => {
  expect(overIn(lineWith({ base: before, publishing: 'now' }), 'now')).toEqual({ base: before });
  expect(overIn(lineWith({ base: before, held: 'now' }), 'now')).toEqual({ base: before });
  expect(overIn(lineWith({ comparing, held: 'x', publishing: 'y' }), 'now')).toEqual({
    comparing,
    held: 'x',
    publishing: 'y',
  });
});
