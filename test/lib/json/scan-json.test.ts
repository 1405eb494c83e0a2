import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_NESTING, scanJson } from '../../../lib/json/scan-json.ts';
import { anyCharacter } from '../../any-character.ts';
import { isDeep } from '../../deep/depth.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function scan(text: string) {
  const lists = scanJson(Buffer.from(text));
  if (lists === 'too-deep') throw new Error('The text is nested too deep.');
  return lists;
}

const json = fc.oneof(
  fc.json({ depthSize: 'medium', stringUnit: anyCharacter }),
  // Escapes and control characters, numbers in every notation.
  fc.json().map((text) => JSON.stringify(text)),
  fc.double().map(String),
  fc.jsonValue().map((value) => JSON.stringify(value, undefined, '\t\r\n ')),
);

/** What a defect puts into a text or takes from it. */
const fragment = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      '"',
      '\\',
      '\\u00',
      '\\u12G4',
      '\\x',
      '\n',
      '\t',
      '\u0000',
      '\u001f',
      '\u00a0',
      '\ufeff',
    ],
    ...[',', ':', '[', ']', '{', '}', '0', '-', '+', '.', 'e', 'E1', '1.', '.5', '01', '-0', '1e+'],
    ...['nul', 'null', 'tru', 'true', 'falsee', 'NaN', '//', "'", '\u2028', '\ud800'],
  ),
  fc.string({ maxLength: 3 }),
);

test('accepts and refuses what JSON.parse accepts and refuses', () => {
  const damaged = fc
    .tuple(json, fc.nat(), fc.nat({ max: 3 }), fragment)
    .map(([text, place, taken, put]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + put + text.slice(at + taken);
    });
  const soup = fc.array(fragment, { maxLength: 8 }).map((fragments) => fragments.join(''));
  fc.assert(
    fc.property(fc.oneof(json, damaged, soup), (text) => {
      const received = Buffer.from(text).toString();
      expect(scan(received) !== undefined).toBe(isJson(received));
    }),
    { numRuns: isDeep ? 8_000 : 2_000 },
  );
});

test('accepts and refuses what JSON.parse does for any two bytes in any place', () => {
  const around = [
    ['', ''],
    ['[', ']'],
    ['{"a":', '}'],
    ['"', '"'],
    ['"\\', '"'],
    ['1', ''],
    ['[1', ',2]'],
  ];
  const wrong: string[] = [];
  for (const [before = '', after = ''] of around) {
    for (let first = 0; first < 128; first++) {
      for (let second = 0; second < 128; second++) {
        const text = `${before}${String.fromCharCode(first, second)}${after}`;
        if ((scan(text) !== undefined) !== isJson(text)) wrong.push(text);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('refuses every beginning of a text', () => {
  const text = '{"a":[true,-1.5e+3,"\\u00e9\\n",{}],"b":{"c":[[]],"d":null}}';
  const accepted = [...text].map((_, end) => text.slice(0, end)).filter((cut) => scan(cut));
  expect(scan(text)).toBeDefined();
  expect(accepted).toEqual([]);
});

test('reads a text that is nested a thousand times, and none that is nested deeper', () => {
  const depth = MAX_NESTING;
  expect(scan('['.repeat(depth) + ']'.repeat(depth))?.size).toBe(1);
  expect(scan(`${'{"a":'.repeat(depth - 1)}[1]${'}'.repeat(depth - 1)}`)?.size).toBe(1);
  expect(scan('['.repeat(depth) + ']'.repeat(depth - 1))).toBeUndefined();
  expect(scanJson(Buffer.from('['.repeat(depth + 1)))).toBe('too-deep');
  expect(scanJson(Buffer.alloc(10_000_000, '{"a":'))).toBe('too-deep');
});

test('notes no more than a thousand lists and a hundred thousand commas', () => {
  expect(scan(`[${'0,'.repeat(100_000)}0]`)?.get(0)?.commas).toHaveLength(100_000);
  expect(scan(`[${'0,'.repeat(100_001)}0]`)?.get(0)).toEqual({
    start: 0,
    end: 200_005,
    hasSpace: false,
  });
  expect(scan(`{"a":[]${',"a":[]'.repeat(1_000)}}`)?.size).toBe(1_000);
});

test('notes the outermost lists with the commas between their elements', () => {
  const text = '{"a":[{"x":[1,2]},[3,4],5],"b":{"c":[ ]},"d":[6]}';
  const found = [...(scan(text)?.values() ?? [])].map(({ start, end, commas, hasSpace }) => ({
    text: text.slice(start, end),
    commas: commas?.map((comma) => text.slice(comma, comma + 2)),
    hasSpace,
  }));
  expect(found).toEqual([
    { text: '[{"x":[1,2]},[3,4],5]', commas: [',[', ',5'], hasSpace: false },
    { text: '[ ]', commas: [], hasSpace: true },
    { text: '[6]', commas: [], hasSpace: false },
  ]);
});
