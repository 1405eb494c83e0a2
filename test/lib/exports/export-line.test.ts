import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  joined,
  type LineEntry,
  left,
  queuedIn,
  replaced,
  waitingIn,
} from '../../../lib/exports/export-line.ts';

const NOW_MS = 1_000;

const entry: fc.Arbitrary<LineEntry> = fc.record({
  list: fc.constantFrom('customers', 'invoices', 'a', 'b'),
  exportId: fc.uuid(),
  sinceMs: fc.nat(NOW_MS),
});
const line = fc
  .array(entry)
  .map((all) =>
    all.reduce<readonly LineEntry[]>((before, each) => joined(before, each) ?? before, []),
  );

test('has each list once, and who joins comes last', () => {
  fc.assert(
    fc.property(line, entry, (before, wanted) => {
      const after = joined(before, wanted);
      const isThere = before.some(({ list }) => list === wanted.list);
      expect(after).toEqual(isThere ? undefined : [...before, wanted]);
    }),
  );
});

test('keeps the order of all others when one leaves, and the next one begins at that time', () => {
  fc.assert(
    fc.property(line, fc.nat(5), (before, at) => {
      const exportId = before[at]?.exportId ?? 'none';
      const changed = left(before, exportId, NOW_MS);
      if (at >= before.length) expect(changed).toBeUndefined();
      const after = changed ?? before;
      const others = before.filter((each) => each.exportId !== exportId);
      expect(after.map(({ list }) => list)).toEqual(others.map(({ list }) => list));
      expect(after.map(({ sinceMs }) => sinceMs)).toEqual(
        others.map(({ sinceMs }, index) => (at === 0 && index === 0 ? NOW_MS : sinceMs)),
      );
    }),
  );
});

test('lets an export have the place of the one before it, and changes nothing when that one left', () => {
  fc.assert(
    fc.property(line, entry, fc.nat(5), (before, successor, at) => {
      const exportId = before[at]?.exportId ?? 'none';
      const after = replaced(before, exportId, successor);
      const isThere = at < before.length;
      const changed = before.map((each, index) => (index === at ? successor : each));
      expect(after).toEqual(isThere ? changed : undefined);
    }),
  );
});

test('tells the places of those that wait, from 1 on, and also of a head that has not begun', () => {
  const entries = ['a', 'b', 'c'].map((list, index) => ({
    list,
    exportId: `e-${list}`,
    sinceMs: index,
  }));
  const whole = { connection: 'acme', writeToken: 't', entries };

  expect(queuedIn(whole).map(({ list, place }) => [list, place])).toEqual([
    ['b', 1],
    ['c', 2],
  ]);
  const places = ['e-a', 'e-b', 'e-c', 'e-d'].map((id) => waitingIn(whole, id)?.place);
  expect(places).toEqual([1, 1, 2, undefined]);
});
