import { expect, test } from '@jest/globals';
import { datedMembersOf, orderedOn } from '../../../../lib/customers-api/walks/dated-order.ts';
import { pageOf } from './moving-list.ts';

function kindsOf(record: object) {
  return datedMembersOf({ records: [JSON.stringify(record)] }).map(({ kind }) => kind);
}

const AT = '2026-11-27T10:00:00Z';

test.each([
  ['edited', ['updated_at', 'lastUpdate', 'UPDATED', 'date_modified', 'lastmodified']],
  ['edited', ['LastModifiedDate', 'changed-on', 'statusChangedAt', 'edited', 'last_edit']],
  ['created', ['created_at', 'dateCreated', 'CreateTime', 'datecreated', 'creation_date']],
  ['created', ['inserted_on', 'registrationDate', 'URLCreatedAt']],
] as const)('a time is of a record that was %s, under the names %j', (kind, names) => {
  for (const name of names) expect([name, ...kindsOf({ [name]: AT })]).toEqual([name, kind]);
});

test('a word that is only inside another one says nothing of a time', () => {
  const names = ['credit_date', 'creditedAt', 'exchange_date', 'exchangedAt', 'unregistered_at'];
  for (const name of [...names, 'edition_date', 'editorSince', 'creative_from', 'recreated_at']) {
    expect([name, ...kindsOf({ [name]: AT })]).toEqual([name]);
  }
});

test.each([
  [AT, '2026-11-27', '2026-11-27 10:00:00 UTC', '2026-11-27T10:00:00.123+01:00'],
  ['20261127T100000Z', '20261127T1000', '20261127T100000.123+0100'],
  [1_764_000_000, 1_764_000_000_123, 1_764_000_000.5, '1764000000', 1_764_000_000_123_456],
  [946_684_800, 946_684_800_123, '946684800', 100_000_000, 946_684_800_123_456],
])('%j is a time', (...times) => {
  for (const time of times)
    expect([time, kindsOf({ updated_at: time })]).toEqual([time, ['edited']]);
});

test('times in seconds are in order across the day on which they got one digit more', () => {
  const before = [999_999_998, 999_999_999, 1_000_000_000, 1_000_000_001];
  for (const [times, order] of [
    [before, 'rising'],
    [before.toReversed(), 'falling'],
  ] as const) {
    const records = times.map((time, id) => `{"id":${id},"created_at":${time}}`);
    const page = { ...pageOf(records, 1), records };
    expect(orderedOn(datedMembersOf(page), page)).toMatchObject([{ name: 'created_at', order }]);
  }
});

test('the id of who did it is no time', () => {
  const names = ['updated_by', 'createdById', 'changed-by', 'modified_by_user', 'edit_id'];
  for (const name of names) expect([name, ...kindsOf({ [name]: 946_684_800 })]).toEqual([name]);
  expect(kindsOf({ valid_updated_at: AT, ruby_created_at: AT })).toEqual(['edited', 'created']);
});

test('a number that could be a time is one if its name says so', () => {
  const times = [
    'created',
    'date_modified',
    'lastUpdate',
    'last_change',
    'registeredOn',
    'ChangeTime',
  ];
  const others = ['registration_number', 'registrationNo', 'registered_capital', 'registration'];
  for (const name of [...times, 'updated_unix', 'insertStamp', 'editedMs', 'lastmodified']) {
    expect([name, ...kindsOf({ [name]: 946_684_800 })]).toEqual([name, expect.anything()]);
  }
  for (const name of [...others, 'change_number', 'updateCount', 'register_code']) {
    expect([name, ...kindsOf({ [name]: 946_684_800 })]).toEqual([name]);
    expect([name, ...kindsOf({ [name]: '1764000000' })]).toEqual([name]);
  }
});

test('what is no time is not taken for one, whatever its name says', () => {
  const names = ['Ann', '', '2026', '2026-11-27x', '27.11.2026', 'by 2026-11-27'];
  for (const value of [
    ...names,
    100_000,
    15,
    12_345_678,
    12_345_678_901,
    true,
    null,
    [AT],
    { at: AT },
  ]) {
    expect([value, kindsOf({ updated_by: value, registered_name: value })]).toEqual([value, []]);
  }
});
