import { expect, test } from '@jest/globals';
import {
  type Change,
  type ChangeKind,
  idAsText,
  LINE_END,
  lineHead,
  parseChangeLine,
} from '../../../lib/changes/change.ts';

const at: Change['at'] = { key: 'exports/part-00001-t.ndjson.gz', line: 17 };
const CHANGES: readonly Change[] = [
  {
    change: 'added',
    id: '12345678901234567890',
    after: '00ff00ff00ff00ff',
    at,
    record: '{"id":1.0}',
  },
  {
    change: 'removed',
    id: '"a\\u00e9"',
    before: '00ff00ff00ff00ff',
    at,
    record: '{"a":1,"a":1.50}',
  },
  {
    change: 'changed',
    id: '1.0',
    members: ['record', 'é"'],
    before: '0000000000000001',
    after: '0000000000000002',
    at,
    record: '{"id":1.0,"record":"\\/"}',
  },
];

test.each(CHANGES)('reads what it writes, digit by digit: %j', ({ record, ...change }) => {
  const line = lineHead(change) + record + LINE_END;

  expect(line.match(/\n/g)).toEqual(['\n']);
  const kind: ChangeKind = change.change;
  expect(JSON.parse(line)).toMatchObject({ change: kind, record: JSON.parse(record) });
  expect(parseChangeLine(line)).toEqual({ ...change, record });
});

test.each(['', '{}', '[]', '{"change":"added","id":1,"record":{}}', '{"change":'])(
  'reads no change from %j',
  (line) => {
    expect(parseChangeLine(line)).toBeUndefined();
  },
);

test('shows an id as people write it', () => {
  expect(['12345678901234567890', '"c-\\u0031"'].map(idAsText)).toEqual([
    '12345678901234567890',
    'c-1',
  ]);
});
