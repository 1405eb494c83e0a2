import { expect, test } from '@jest/globals';
import { readJsonBody } from '../../../lib/customers-api/answer-json.ts';
import { envelopeOf } from '../../../lib/doctor/envelope.ts';
import type { Envelope } from '../../../lib/doctor/seen-read.ts';

const PEOPLE = [{ id: 1 }, { id: 2 }];
const GROUPS = [{ id: 3 }];

function envelope(value: unknown): Envelope | undefined {
  const body = { bytes: Buffer.from(JSON.stringify(value)), release: () => {} };
  const answer = { kind: 'answer', status: 200, headers: new Headers(), body } as const;
  const read = readJsonBody(answer, () => false, 1_000_000);
  if (read.kind === 'no-json') throw new Error(read.problem);
  return envelopeOf(read, { resource: 'customers', itemsKey: undefined, holdsKey: () => false });
}

function nested(names: string, value: unknown): unknown {
  return names.split('.').reduceRight((inner, name) => ({ [name]: inner }), value);
}

test('takes the largest array of objects where no rule finds the records, and names the others', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index);

  expect(envelope({ answer: { numbers, groups: GROUPS, people: PEOPLE } })).toMatchObject({
    itemsPath: 'answer.people',
    isFoundByRule: false,
    otherLists: ['answer.numbers', 'answer.groups'],
  });
});

test.each(['errors', '_links', 'Included'])(
  'takes no array %s that accompanies lists, however large it is',
  (name) => {
    const many = [...PEOPLE, ...PEOPLE, ...PEOPLE];

    expect(envelope({ answer: { [name]: many, groups: GROUPS, people: PEOPLE } })).toMatchObject({
      itemsPath: 'answer.people',
      otherLists: ['answer.groups'],
    });
  },
);

test('looks for records in four objects inside each other, and no deeper', () => {
  const lists = { groups: GROUPS, people: PEOPLE };

  expect(envelope(nested('a.b.c.d', lists))?.itemsPath).toBe('a.b.c.d.people');
  expect(envelope(nested('a.b.c.d.e', lists))).toBeUndefined();
});

test('looks at a thousand members, and at none after them', () => {
  const before = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, '1']));

  const texts = envelope({ customers: PEOPLE, ...before(998), seen: '7', after: '8' })?.digitTexts;

  expect(texts).toHaveLength(999);
  expect(texts?.at(-1)).toBe('seen');
});

test.each([
  ['the link', { next: 'https://api.example.com/?cursor=a&limit=5' }],
  ['its href', { next: { href: 'https://api.example.com/?cursor=a&limit=5' } }],
])('names the parameters of %s to the next page', (_, links) => {
  expect(envelope({ customers: PEOPLE, links })?.linkParameters).toEqual(['cursor', 'limit']);
});

test('reads no link that is far longer than links are', () => {
  const linkOf = (length: number) => ({
    next: `https://api.example.com/?cursor=${'a'.repeat(length)}`,
  });

  expect(envelope({ customers: PEOPLE, links: linkOf(4_000) })?.linkParameters).toEqual(['cursor']);
  expect(envelope({ customers: PEOPLE, links: linkOf(5_000) })?.linkParameters).toEqual([]);
});
