import { expect, test } from '@jest/globals';
import { parseChangeEvent } from '../../../functions/messages/change-event.ts';
import { recordEntry } from '../../../lib/changes/record-event.ts';
import { schemaOf } from '../../faults/check-event.ts';
import { changeStateOf } from '../../lib/changes/change-state-of.ts';
import { changeOf } from '../../lib/changes/stored-changes.ts';
import { changeEvent, toldChange } from './told-change.ts';

const KINDS = ['added', 'changed', 'removed'] as const;

test.each(KINDS.flatMap((kind) => ['customers', 'invoices'].map((list) => [kind, list] as const)))(
  'reads what is published of a record that was %s in the list %s, with every digit',
  (kind, list) => {
    const state = changeStateOf({ list, withRecord: true });
    const about = { state, integration: 'Team', bucket: 'exports', idKey: 'id' };
    const key = `exports/connection=acme/list=${list}/export=now/part-00001.ndjson.gz`;
    const change = { ...changeOf(kind, 7), at: { key, line: 8 } };
    const entry = recordEntry(about, change);
    const told = { source: 'customers-functions', 'detail-type': entry?.detailType };
    const parsed = parseChangeEvent({ ...told, detail: JSON.parse(entry?.detail ?? '{}') });

    expect(parsed).toMatchObject({ kind: 'value', value: { kind, list, record: change.record } });
    expect(parsed).toMatchObject({ value: { recordIdJson: '90071992547409937' } });
  },
);

test.each(KINDS)(
  'what the tests of consumers take for an event of a record that was %s is one',
  (kind) => {
    const isCustomer = schemaOf(`customer-${kind}`);
    expect([isCustomer(toldChange({ kind })), isCustomer.errors]).toEqual([true, null]);
    const isRecord = schemaOf(`record-${kind}`);
    const told = toldChange({ kind, list: 'invoices', record: undefined });
    expect([isRecord(told), isRecord.errors]).toEqual([true, null]);
  },
);

test.each(KINDS)('reads an event of a record that was %s', (kind) => {
  const event = changeEvent({ kind });
  const { v: _version, ...value } = event.detail;

  expect(parseChangeEvent(event)).toEqual({ kind: 'value', value });
  expect(parseChangeEvent(JSON.stringify(event))).toEqual({ kind: 'value', value });
});

test('reads an event of any list, and one without its record', () => {
  const parsed = parseChangeEvent(changeEvent({ list: 'invoices', record: undefined }));

  expect(parsed).toMatchObject({ kind: 'value', value: { list: 'invoices' } });
});

test.each([
  ['connection', { connection: 'other' }],
  ['list', { list: 'invoices' }],
])('an event whose record is a part of another %s is malformed', (_, own) => {
  const { recordAt } = toldChange();
  expect(parseChangeEvent(changeEvent({ ...own, recordAt }))).toMatchObject({ kind: 'malformed' });
});

const { detail: _detail, ...withoutDetail } = changeEvent();
test.each([
  ['is no JSON', '{', 'the event'],
  ['is nothing', undefined, 'the event'],
  ['is of another source', { ...changeEvent(), source: 'canary' }, 'source'],
  ['is another one', { ...changeEvent(), 'detail-type': 'Export Completed' }, 'detail-type'],
  ['has no detail', withoutDetail, 'detail'],
  ['is the detail alone', toldChange(), 'source, detail-type, detail'],
  [
    'is of an unknown kind',
    { ...changeEvent(), detail: { ...toldChange(), kind: 'canary' } },
    'detail.kind',
  ],
  [
    'has no order',
    { ...changeEvent(), detail: { ...toldChange(), exportStartedAtMs: null } },
    'detail.exportStartedAtMs',
  ],
  [
    'has a record that is no text',
    { ...changeEvent(), detail: { ...toldChange(), record: { id: 'canary' } } },
    'detail.record',
  ],
])('an event that %s is malformed, and its content is not told', (_, event, places) => {
  const parsed = parseChangeEvent(event);

  expect(parsed).toMatchObject({ kind: 'malformed' });
  expect(parsed).toMatchObject({
    reason: expect.stringContaining(`: ${places} is missing or wrong`),
  });
  expect(JSON.stringify(parsed)).not.toContain('canary');
});
