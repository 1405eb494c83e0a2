import { expect, test } from '@jest/globals';
import { learnIdKey } from '../../../lib/customers-api/learn-id-key.ts';

function learned(resource: string, ...records: readonly string[]): string {
  const ndjson = Buffer.from(records.map((record) => `${record}\n`).join(''));
  return learnIdKey(ndjson, records.length, resource).idKey;
}

test.each([
  ['customers', 'customer_id'],
  ['companies', 'companyId'],
  ['addresses', 'address_id'],
  ['branches', 'branchId'],
  ['expenses', 'expense_id'],
  ['caches', 'cache_id'],
  ['movies', 'movie_id'],
  ['news', 'news_id'],
  ['staff', 'staffId'],
  ['crm/contacts', 'contact_id'],
])('knows that records of %s may be told apart by %s', (resource, idKey) => {
  expect(learned(resource, `{"${idKey}":1}`, `{"${idKey}":2}`)).toBe(idKey);
});

test.each([
  [
    'the first of the usual names',
    ['{"customer_id":1,"uuid":"a"}', '{"customer_id":2,"uuid":"b"}'],
    'uuid',
  ],
  [
    'one that every record has',
    ['{"customer_id":1,"uuid":"a"}', '{"customer_id":2}'],
    'customer_id',
  ],
  ['one that is never the same', ['{"code":1,"uuid":"a"}', '{"code":2,"uuid":"a"}'], 'code'],
  ['id where there is none', ['{"name":"a"}', '{"name":"b"}'], 'id'],
])('takes %s', (_, records, idKey) => {
  expect(learned('customers', ...records)).toBe(idKey);
});
