import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LATEST_EXPORT, pointersKey, pointersText } from '../../../lib/exports/table-pointers.ts';
import { CONNECTION_NAME, EXPORT_ID } from '../../../lib/names.ts';

test('an export and the newest one have pointers of their own, outside of the exports', () => {
  expect(pointersKey('demo', 'customers', 'schedule-1f')).toBe(
    'tables/connection=demo/list=customers/export=schedule-1f/parts.txt',
  );
  expect(pointersKey('demo', 'customers', LATEST_EXPORT)).toBe(
    'tables/connection=demo/list=customers/export=latest/parts.txt',
  );
});

test('every part of every export has a line with its URI as it is', () => {
  const key = fc
    .tuple(
      fc.stringMatching(CONNECTION_NAME),
      fc.stringMatching(CONNECTION_NAME),
      fc.stringMatching(EXPORT_ID),
      fc.stringMatching(/^\d{5}-[0-9a-f-]{1,36}$/),
    )
    .map(
      ([connection, list, id, part]) =>
        `exports/connection=${connection}/list=${list}/export=${id}/part-${part}.ndjson.gz`,
    );
  fc.assert(
    fc.property(fc.array(key, { minLength: 1 }), (keys) => {
      const lines = pointersText('my-bucket', keys).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines).toEqual(keys.map((each) => `s3://my-bucket/${each}`));
      // What a URI parser makes of it is the same name: nothing in it needs an escape.
      for (const line of lines) expect(decodeURI(new URL(line).href)).toBe(line);
    }),
  );
});

test('an export without any part has no line, not even an empty one', () => {
  expect(pointersText('my-bucket', [])).toBe('');
});
