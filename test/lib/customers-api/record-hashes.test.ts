import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hashRecords, hashText, isOfId } from '../../../lib/customers-api/record-hashes.ts';
import { idOf, idSpan, idTexts } from '../../../lib/customers-api/record-places.ts';

function hashesOf(records: readonly string[], idKey = 'id') {
  const ndjson = Buffer.from(records.map((record) => `${record}\n`).join(''));
  const { hashes, fingerprint } = hashRecords(ndjson, records.length, idKey);
  const each = records.map((_, index) => [hashes[2 * index] ?? 0, hashes[2 * index + 1] ?? 0]);
  return { fingerprint, each, ofId: each.map(([low = 0]) => isOfId(low)) };
}

test.each([
  ['whatever else is in them', '{"id":1,"name":"a"}', '{"id":1,"name":"b"}'],
  [
    'wherever the id stands',
    '{"id":"a"}',
    '{"list":[{"id":"c"},"id",2],"deep":{"id":"b"},"id":"a"}',
  ],
  ['a text with an escape that it does not need', '{"id":"a\\/b"}', '{"id":"a/b"}'],
  ['a text of other letters', '{"id":"\\u00e9"}', '{"id":"é"}'],
  ['a text with escapes', '{"id":"a\\"}{"}', '{"name":"\\"id\\":2","id":"a\\"}{"}'],
])('takes records with the same id for the same, %s', (_, one, other) => {
  const { each, ofId } = hashesOf([one, other]);
  expect(each[0]).toEqual(each[1]);
  expect(ofId).toEqual([true, true]);
});

test.each([
  ['1', '2'],
  ['1', '1.0'],
  ['1', '"1"'],
  ['9007199254740992', '9007199254740993'],
  ['"a"', '"A"'],
  ['-1', '1'],
])('takes the ids %s and %s for two', (one, other) => {
  const { each } = hashesOf([`{"id":${one}}`, `{"id":${other}}`]);
  expect(each[0]).not.toEqual(each[1]);
});

test.each([
  '{"name":"id"}',
  '{"id":null}',
  '{"id":""}',
  '{"id":true}',
  '{"id":{"id":1}}',
  '{"id":[1]}',
  '{"deep":{"id":1}}',
  '{"ID":1}',
  '["id",1]',
  '"id"',
  '{}',
  '1',
])('finds no id in %s, and tells it by its text', (record) => {
  const { each, ofId } = hashesOf([record, record, `[${record}]`]);
  expect(ofId).toEqual([false, false, false]);
  expect(each[0]).toEqual(each[1]);
  expect(each[0]).not.toEqual(each[2]);
});

const scalars = fc.constantFrom(
  '1',
  '-2.0',
  '"a"',
  '"a\\/b"',
  'null',
  '""',
  'true',
  '{"id":3}',
  '[4]',
);
const names = fc.constantFrom('id', 'id', 'name', 'ID', '\\u0069d', 'deep');
const recordTexts = fc.oneof(
  fc
    .array(fc.tuple(names, scalars), { maxLength: 4 })
    .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
  scalars,
);

test('a page, one record and what compares exports find the same id, also of members that come twice', () => {
  const name = Buffer.from('"id"');
  fc.assert(
    fc.property(fc.array(recordTexts, { minLength: 1, maxLength: 5 }), (texts) => {
      const page = Buffer.from(texts.map((text) => `${text}\n`).join(''));
      const ofPage = idTexts(page, texts.length, 'id').map((id) => (id === '' ? undefined : id));

      expect(hashesOf(texts).ofId).toEqual(ofPage.map((id) => id !== undefined));
      expect(texts.map((text) => idOf(text, 'id'))).toEqual(ofPage);
      expect(texts.map((text) => idOf(` ${spaced(text)}`, 'id'))).toEqual(ofPage);
      const spans = texts.map((text) => {
        const bytes = Buffer.from(text);
        const span = idSpan({ bytes, start: 0, end: bytes.length }, name);
        return span && bytes.toString('utf8', span.start, span.end);
      });
      expect(spans).toEqual(ofPage);
    }),
  );
});

test('finds a member that stands late in each record, where the name is in texts and deeper members before it too', () => {
  const values = fc.oneof(
    scalars,
    fc.constantFrom(
      '"at"',
      '"\\"at"',
      '",\\"at\\":1"',
      '"}{"',
      '{"at":1}',
      '[{"at":"x"}]',
      '"at:"',
    ),
  );
  const members = fc.tuple(fc.constantFrom('at', 'at', 'cat', '\\"at', 'AT', 'x'), values);
  const texts = fc
    .array(members, { maxLength: 6 })
    .map((each) => `{"first":"${'-'.repeat(20)}",${memberTexts(each)}"at":"late"}`);
  const early = fc
    .array(members, { maxLength: 3 })
    .map((each) => `{${memberTexts(each)}"at":0,"z":"${'-'.repeat(90)}"}`);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(texts, texts, texts, early, recordTexts), { minLength: 2, maxLength: 9 }),
      (records) => {
        const page = Buffer.from(records.map((text) => `${text}\n`).join(''));
        const alone = records.map((text) => idOf(text, 'at') ?? '');

        expect(idTexts(page, records.length, 'at')).toEqual(alone);
      },
    ),
    { numRuns: 300 },
  );
});

test('finds a member that stands late by a name that looks like what is around names', () => {
  const records = ['{"a":"--------------",":":1}', '{"a,":":::\\"","b":"----",":":2}'];
  const page = Buffer.from(records.map((text) => `${text}\n`).join(''));
  expect(idTexts(page, 2, ':')).toEqual(['1', '2']);
});

function memberTexts(members: readonly (readonly [string, string])[]): string {
  return members.map(([name, value]) => `"${name}":${value},`).join('');
}

test('finds no id in a text that is cut before its end', () => {
  const text = '{"list":["a\\"b",{"id":2}],"id":"c"';
  for (let length = 0; length < text.length; length++) {
    expect(idOf(text.slice(0, length), 'id')).toBeUndefined();
  }
  expect(idOf(text, 'id')).toBe('"c"');

  const page = Buffer.from('{"z":"--------","id":1}\n{"z":"--------","id":2,"y":"cut}\n');
  expect(idTexts(page, 2, 'id')).toEqual(['1', '2']);
  expect(idTexts(Buffer.from('{"id":"cut\n'), 1, 'id')).toEqual(['']);
});

/** None of the texts has one of these in a string. */
function spaced(text: string): string {
  return text.replaceAll(/[{}[\],:]/g, '\n $& \r\n\t');
}

test('finds the member that idKey names, whatever is in the name', () => {
  const { each, ofId } = hashesOf(['{"id":1,"Kunden-Nr. \\"ä\\"":7}'], 'Kunden-Nr. "ä"');
  expect(ofId).toEqual([true]);
  expect(each).toEqual(hashesOf(['{"id":7}']).each);
});

test('gives a page the same fingerprint in any order, and none of its repeats', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(ids, fc.infiniteStream(fc.nat()), (names, draws) => {
      const records = names.map((name) => JSON.stringify({ id: name }));
      const shuffled = records
        .map((record) => ({ record, order: draws.next().value }))
        .sort((a, b) => a.order - b.order)
        .map(({ record }) => record);
      const { fingerprint } = hashesOf(records);
      expect(hashesOf(shuffled).fingerprint).toBe(fingerprint);
      expect(hashesOf([...records, ...records.slice(0, 1)]).fingerprint).not.toBe(fingerprint);
    }),
  );
});

test('gives 200,000 ids that look alike hashes of their own', () => {
  const forms = [
    (n: number) => `${n}`,
    (n: number) => `${9_007_199_254_740_981n + BigInt(n)}`,
    (n: number) => `"C-${String(n).padStart(8, '0')}"`,
    (n: number) => `"018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}"`,
  ];
  const ids = forms.flatMap((form) => Array.from({ length: 50_000 }, (_, n) => form(n)));
  const ndjson = Buffer.from(ids.map((id) => `{"id":${id}}\n`).join(''));
  const { hashes } = hashRecords(ndjson, ids.length, 'id');
  expect(new Set(new BigUint64Array(hashes.buffer)).size).toBe(ids.length);
});

test('hashes every byte of a text, and nothing around it', () => {
  const page = Buffer.from(`{"id":1,"name":"${'abcdefghij'.repeat(3)}"}`);
  const [hashes, texts] = [new Set<string>(), new Set<string>()];
  for (let start = 0; start < 5; start++) {
    for (let end = start; end <= page.length; end++) {
      const text = page.subarray(start, end);
      const expected = hashAt(text, 0, text.length);
      expect(hashAt(page, start, end)).toBe(expected);
      hashes.add(expected);
      texts.add(`${text}`);
      for (let at = 0; at < text.length; at++) {
        const changed = Uint8Array.from(text);
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect(hashAt(changed, 0, changed.length)).not.toBe(expected);
      }
    }
  }
  expect(hashes.size).toBe(texts.size);
});

function hashAt(bytes: Uint8Array, start: number, end: number): string {
  const words = new Uint32Array(2);
  hashText(words, 0, bytes, { start, end });
  return words.join(' ');
}
