import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { keyFormsOf } from '../../../lib/key/key-forms.ts';
import { KeyIndex } from '../../../lib/key/key-index.ts';
import { searchedText } from '../../../lib/key/key-signs.ts';

const KEYS = Array.from({ length: 2_000 }, (_, index) =>
  createHash('sha256').update(`${index}`).digest('base64url'),
);
const index = new KeyIndex<string>();
for (const key of KEYS) index.add(key, keyFormsOf(key));

const LINE = '{"level":"INFO","message":"Swept","exportId":"request-0123456789abcdef"}';

function foundIn(text: string): readonly string[] {
  return [...index.mayBeIn(searchedText(Buffer.from(text, 'latin1')))];
}

test('of thousands of keys none is searched for in a line that holds none', () => {
  expect(foundIn(LINE)).toEqual([]);
});

test('of thousands of keys few besides the one that a line holds are searched for', () => {
  const [key = ''] = KEYS.slice(1_234);
  for (const form of [key, encodeURIComponent(key), Buffer.from(`id:${key}`).toString('base64')]) {
    const found = foundIn(`${LINE} ${form}`);

    expect(found).toContain(key);
    expect(found.length).toBeLessThan(20);
  }
});

test('of thousands of keys few are searched for in a line with hundreds of numbers', () => {
  const numbers = KEYS.slice(0, 500).map((key) => Buffer.from(key).readUInt32BE());
  const codes = [...Buffer.from(KEYS[77] ?? '')];

  expect(foundIn(JSON.stringify({ numbers })).length).toBeLessThan(20);
  expect(foundIn(JSON.stringify({ numbers: [...numbers, ...codes, 7] }))).toContain(KEYS[77]);
});

test.each([
  ['alike', 'api_key_'],
  ['with a long word', 'customers-api-live-'],
  ['with the head of a token', 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.'],
])(
  'of thousands of keys that begin %s few are searched for where a line shows that',
  (_, begin) => {
    const alike = new KeyIndex<string>();
    for (const key of KEYS) alike.add(begin + key, keyFormsOf(begin + key));
    const searched = searchedText(Buffer.from(`${LINE} the key begins with ${begin}`));

    expect(alike.mayBeIn(searched).size).toBeLessThan(20);
  },
);
