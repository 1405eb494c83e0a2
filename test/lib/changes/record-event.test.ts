import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Change } from '../../../lib/changes/change.ts';
import {
  entryBytes,
  MAX_ENTRY_BYTES,
  type RecordEntry,
  recordEntry,
} from '../../../lib/changes/record-event.ts';
import { batchesOf } from '../../../lib/changes/send-entries.ts';
import { schemaOf } from '../../faults/check-event.ts';
import { changeStateOf } from './change-state-of.ts';

const hashes = { before: '0123456789abcdef', after: 'fedcba9876543210' };

function changeOf(given: Partial<Change> = {}): Change {
  return {
    change: 'changed',
    id: '12345678901234567890',
    members: ['email'],
    ...hashes,
    at: { key: 'exports/part-00001.ndjson.gz', line: 17 },
    record: '{"id":12345678901234567890,"balance":1.10,"balance":1e2}',
    ...given,
  };
}

function entryOf(change: Change, state: Parameters<typeof changeStateOf>[0] = {}) {
  const about = { integration: 'Team', bucket: 'bucket', idKey: 'id' };
  return recordEntry({ ...about, state: changeStateOf({ withRecord: true, ...state }) }, change);
}

const { before: _before, ...added } = { ...changeOf({ change: 'added' }) };
const { after: _after, ...removed } = { ...changeOf({ change: 'removed' }) };

test.each([
  ['customers', 'Customer', changeOf()],
  // Of a record with too many members.
  ['customers', 'Customer', { ...changeOf(), members: undefined }],
  ['customers', 'Customer', { ...added, members: undefined }],
  ['customers', 'Customer', { ...removed, members: undefined }],
  ['invoices', 'Record', changeOf()],
  ['invoices', 'Record', { ...added, members: undefined }],
  ['invoices', 'Record', { ...removed, members: undefined }],
] as const)('of the list %s the event %s is what its schema says', (list, what, given) => {
  const { members, ...change } = given;
  const entry = entryOf(members === undefined ? change : { ...change, members }, { list });
  const schema = schemaOf(`${what.toLowerCase()}-${change.change}`);
  const detail: Record<string, unknown> = JSON.parse(entry?.detail ?? '');
  schema(detail);

  expect(schema.errors ?? []).toEqual([]);
  expect(Object.keys(Object(Object(schema.schema).properties))).toEqual(
    expect.arrayContaining(Object.keys(detail)),
  );
  expect(entry?.detailType.toLowerCase()).toBe(`${what} ${change.change}`.toLowerCase());
  for (const name of Object(schema.schema).required) {
    const { [name]: _left, ...rest } = detail;
    expect([name, schema(rest)]).toEqual([name, false]);
  }
});

test('a record keeps every digit, escape and double member, whoever parses the event', () => {
  const { record } = changeOf();
  const detail = JSON.parse(entryOf(changeOf())?.detail ?? '');

  expect(detail.record).toBe(record);
  expect(detail).toMatchObject({
    recordId: '12345678901234567890',
    recordIdJson: '12345678901234567890',
    recordAt: { bucket: 'bucket', key: 'exports/part-00001.ndjson.gz', line: 17 },
  });
});

test('a record that is not asked for, or does not fit, is only pointed at', () => {
  const long = changeOf({ record: JSON.stringify({ id: 1, note: 'ü'.repeat(125_000) }) });

  expect(entryOf(changeOf(), { withRecord: false })?.detail).not.toContain('"record":');
  expect(entryOf(long)?.detail).not.toContain('"record":');
  expect(entryOf(long)?.detail).toContain('"recordAt":');
  const names = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(10_000, 'x'));
  const cut = JSON.parse(entryOf(changeOf({ members: names }))?.detail ?? '');
  expect(cut.members).toEqual(names.slice(0, 12));
  expect(entryOf(changeOf({ members: ['x'.repeat(MAX_ENTRY_BYTES)] }))?.detail).toContain(
    '"members":[]',
  );
  expect(entryOf(changeOf({ id: JSON.stringify('x'.repeat(MAX_ENTRY_BYTES)) }))).toBeUndefined();
});

test.each(['fffe', 'ffff'])(
  'a record with U+%s, which no queue takes, is only pointed at',
  (hex) => {
    const raw = String.fromCharCode(Number.parseInt(hex, 16));
    const recordWith = (text: string) => `{"id":1,"name":"a${text}"}`;
    const escaped = recordWith(`\\u${hex}`);

    const detail = entryOf(changeOf({ record: recordWith(raw) }))?.detail;
    expect(detail).not.toContain('"record":');
    expect(detail).toContain('"recordAt":');
    const told = JSON.parse(entryOf(changeOf({ record: escaped }))?.detail ?? '');
    expect(told.record).toBe(escaped);
  },
);

test('the id of an event is the same for the same change, and another one for every other', () => {
  const idOf = (change: Change, state = {}) => JSON.parse(entryOf(change, state)?.detail ?? '').id;
  const others = [
    idOf(changeOf({ id: '1' })),
    idOf(changeOf({ id: '1.0' })),
    idOf(changeOf({ id: '"1"' })),
    idOf(changeOf({ change: 'added' })),
    idOf(changeOf(), { exportId: 'later' }),
    idOf(changeOf(), { connection: 'globex' }),
    idOf(changeOf(), { list: 'invoices' }),
    idOf(changeOf(), { since: { exportId: 'x', startedAtMs: 1, manifestKey: 'm' } }),
  ];

  expect(new Set([idOf(changeOf()), ...others]).size).toBe(others.length + 1);
  expect(idOf(changeOf(), { withRecord: false, step: 7, next: 9 })).toBe(idOf(changeOf()));
});

test('batches keep the order, and each is one that EventBridge takes', () => {
  const entry = fc.integer({ min: 0, max: MAX_ENTRY_BYTES - 60 }).map(
    (length): RecordEntry => ({
      detailType: 'Customer Added',
      detail: 'x'.repeat(length),
      atMs: 0,
    }),
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const batches = batchesOf(entries);
      expect(batches.flatMap((batch) => batch.entries)).toEqual(entries);
      let first = 0;
      for (const batch of batches) {
        expect(batch.first).toBe(first);
        first += batch.entries.length;
        expect(batch.entries.length).toBeLessThanOrEqual(10);
        const bytes = batch.entries.reduce((sum, each) => sum + entryBytes(each), 0);
        expect(bytes).toBeLessThanOrEqual(MAX_ENTRY_BYTES);
      }
    }),
    { numRuns: 50 },
  );
});
