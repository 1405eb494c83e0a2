import { expect, test } from '@jest/globals';
import {
  asText,
  cellsOf,
  csvLine,
  hasFormula,
  namesIn,
} from '../../../../infra/command/download/csv.ts';
import { type ExactJson, readExactJson } from '../../../../lib/json/exact-json.ts';

function recordOf(text: string): ExactJson {
  const read = readExactJson(text);
  if (read.kind !== 'json') throw new Error(read.problem);
  return read.json;
}

test.each([
  ['{"a":12345678901234567890.10}', '12345678901234567890.10'],
  ['{"a":-0.0}', '-0.0'],
  ['{"a":"x, \\"y\\"\\n\\u00e9"}', '"x, ""y""\né"'],
  ['{"a":"x\\ry"}', '"x\ry"'],
  ['{"a":" x"}', '" x"'],
  ['{"a":null}', ''],
  ['{}', ''],
  ['{"a":true}', 'true'],
  ['{"a":{"b":[1.50,"\\u00e9"]}}', '"{""b"":[1.50,""\\u00e9""]}"'],
  ['{"a":1,"a":2}', '2'],
  ['{"a":"=1+1"}', '=1+1'],
])('%s is the cell %s', (text, cell) => {
  expect(csvLine(cellsOf(recordOf(text), ['a'], 'as-it-came'))).toBe(`${cell}\r\n`);
});

test.each(['=1+1', '+49 170', '-x', '@x', '\tx', '\rx', '\nx', '＝1+1', '＠x'])(
  'for a spreadsheet the text %j begins with an apostrophe, and is told of',
  (text) => {
    const record = recordOf(JSON.stringify({ a: text, b: -1 }));
    expect(cellsOf(record, ['a', 'b'], 'as-text')).toEqual([`'${text}`, '-1']);
    expect(hasFormula(record)).toBe(true);
    expect(asText(text)).toBe(`'${text}`);
  },
);

test.each([
  ['{"a":"Smith;=1+1; +2;x"}', "Smith;'=1+1;' +2;x"],
  ['{"a":"x\\t=1+1"}', "x\t'=1+1"],
  ['{"a":"x\\r\\n=1+1\\n"}', "x\r\n'=1+1\n"],
  ['{"a":" =1+1"}', "' =1+1"],
  ['{"a":{"x;=1+1":2}}', '{"x;\'=1+1":2}'],
  ['{"a":["x;@x"]}', '["x;\'@x"]'],
])('%s has no formula where a spreadsheet splits at semicolons, tabs or lines', (text, cell) => {
  expect(cellsOf(recordOf(text), ['a'], 'as-text')).toEqual([cell]);
  expect(hasFormula(recordOf(text))).toBe(true);
});

test('the name of a member is told of like its text', () => {
  expect(hasFormula(recordOf('{"=1+1":1}'))).toBe(true);
  expect(asText('a;=1+1')).toBe("a;'=1+1");
});

test.each(['a-b; c', 'x = 1', '1;2', 'a;b-c'])('the text %j is no formula', (text) => {
  expect(asText(text)).toBe(text);
});

test('a number is no formula, and the columns are in the order of the record', () => {
  const record = recordOf('{"b":-1,"a":"x","c":[-1]}');
  expect(hasFormula(record)).toBe(false);
  expect(namesIn(record)).toEqual(['b', 'a', 'c']);
});
