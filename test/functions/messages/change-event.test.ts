import { expect, test } from '@jest/globals';
import { parseChangeEvent } from '../../../functions/messages/change-event.ts';
import { changeEvent, toldChange } from './told-change.ts';

test.each(['added', 'changed', 'removed'] as const)(
  'reads an event of a record that was %s',
  (kind) => {
    const event = changeEvent({ kind });
    const { v: _version, ...value } = event.detail;

    expect(parseChangeEvent(event)).toEqual({ kind: 'value', value });
    expect(parseChangeEvent(JSON.stringify(event))).toEqual({ kind: 'value', value });
  },
);

test('reads an event of any list, and one without its record', () => {
  const parsed = parseChangeEvent(changeEvent({ list: 'invoices', record: undefined }));

  expect(parsed).toMatchObject({ kind: 'value', value: { list: 'invoices' } });
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
