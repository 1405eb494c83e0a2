import type { Faker } from '@faker-js/faker';
import { faker as german } from '@faker-js/faker/locale/de';
import { faker as english } from '@faker-js/faker/locale/en';
import { faker as japanese } from '@faker-js/faker/locale/ja';

/**
 * Makes the JSON text of any record of a resource, without keeping it. `sequence` is 0, 1, 2...; the
 * same sequence and version always give the same text.
 */
export interface RecordSource {
  idOf(sequence: number): string;
  /** Undefined when no record can have this id. */
  sequenceOf(id: string): number | undefined;
  textOf(sequence: number, version: number): string;
}

/**
 * 2^53 is 9007199254740992: from the twelfth record on, neighbouring ids are the same number to a
 * client that reads them as IEEE doubles.
 */
const FIRST_ID = 9_007_199_254_740_981n;
/** Apart enough that no two organizations share an id. */
const IDS_PER_ORGANIZATION = 100_000_000n;
/** Enough that a page looks real, few enough that 100,000 customers start in a moment. */
const POOL_SIZE = 256;
const REFERENCE_DATE = '2026-01-01T00:00:00.000Z';

/** Number texts that a client must not normalize. */
const AMOUNTS = '1.10 0 -12.50 1999.00 0.1 1e3 12345678901234567890.123 -0.0'.split(' ');
const NOTES = [
  'null',
  '""',
  '"Prefers e-mail \\u2014 caf\\u00e9 on the corner"',
  '"Line one\\nLine two\\t\\"quoted\\" \\\\ back\\/slash"',
  '"👩‍👩‍👧‍👦 family account 🎉"',
  '"Ünïcödé, naïve, Ελληνικά, עברית"',
  '"\\ud83d\\ude80 escaped emoji"',
  'null',
  '"a very ordinary note"',
];
const CUSTOM_FIELDS = [
  '{}',
  'null',
  '{"size":"L","newsletter":true}',
  '{"__proto__":{"admin":true},"constructor":"x"}',
  '{"nested":{"list":[1,2.50,[],{}]},"":"empty name"}',
];

/** JSON texts of the members that records are put together from. */
type Sample = ReturnType<typeof sampleOf>;

/** Customers of one organization. */
export function customerSource(seed: number, organizationIndex: number): RecordSource {
  const pool = poolOf(seed);
  const shift = organizationIndex * 37;
  return sourceOf(FIRST_ID, organizationIndex, (id, sequence, version) => {
    // Strides without a common factor with the pool, so that neighbours differ in every field.
    const person = pick(pool, sequence * 5 + shift);
    const place = pick(pool, sequence * 11 + (sequence >> 8) + shift);
    const work = pick(pool, sequence * 23 + (sequence >> 6) + 3);
    return (
      `{"id":${id},"number":"C-${String(sequence + 1).padStart(6, '0')}","version":${version}` +
      `,"name":${person.name},"email":"${person.account}.${sequence + 1}@example.com"` +
      `,"phone":${person.phone},"company":${work.company},"address":${place.address}` +
      `,"balance":${pick(AMOUNTS, sequence + version - 1)},"currency":"EUR","tags":${work.tags}` +
      `,"notes":${pick(NOTES, sequence)},"custom_fields":${pick(CUSTOM_FIELDS, sequence)}` +
      `,"active":${sequence % 7 !== 6},"created_at":${place.createdAt}}`
    );
  });
}

/** Invoices: a second resource, with the same rules and other fields. */
export function invoiceSource(seed: number, organizationIndex: number): RecordSource {
  const pool = poolOf(seed);
  return sourceOf(
    5_000_001n,
    organizationIndex,
    (id, sequence, version) =>
      `{"id":${id},"number":"INV-${String(sequence + 1).padStart(6, '0')}"` +
      `,"version":${version},"bill_to":${pick(pool, sequence * 5).name}` +
      `,"total":${pick(AMOUNTS, sequence + version)},"currency":"EUR"` +
      `,"issued_at":${pick(pool, sequence * 11).createdAt}}`,
  );
}

function sourceOf(
  firstOfAll: bigint,
  organizationIndex: number,
  textOf: (id: string, sequence: number, version: number) => string,
): RecordSource {
  const firstId = firstOfAll + BigInt(organizationIndex) * IDS_PER_ORGANIZATION;
  const idOf = (sequence: number) => String(firstId + BigInt(sequence));
  return {
    idOf,
    sequenceOf: (id) => {
      const sequence = /^[1-9]\d{0,18}$/.test(id) ? BigInt(id) - firstId : -1n;
      const isOurs = sequence >= 0n && sequence < IDS_PER_ORGANIZATION;
      return isOurs ? Number(sequence) : undefined;
    },
    textOf: (sequence, version) => textOf(idOf(sequence), sequence, version),
  };
}

const pools = new Map<number, readonly Sample[]>();

function poolOf(seed: number): readonly Sample[] {
  const known = pools.get(seed);
  if (known !== undefined) return known;
  for (const faker of [english, german, japanese]) {
    faker.seed(seed);
    faker.setDefaultRefDate(REFERENCE_DATE);
  }
  const pool = Array.from({ length: POOL_SIZE }, (_, index) =>
    // Five of eight English, two German, one Japanese.
    sampleOf(index % 8 === 7 ? japanese : index % 8 > 4 ? german : english, index),
  );
  pools.set(seed, pool);
  return pool;
}

function sampleOf(faker: Faker, index: number) {
  const json = (value: unknown) => JSON.stringify(value);
  return {
    name: json(faker.person.fullName()),
    account: english.internet.username().toLowerCase(),
    phone: index % 9 === 8 ? 'null' : json(faker.phone.number()),
    company: index % 4 === 3 ? 'null' : json(faker.company.name()),
    address: `{"street":${json(faker.location.streetAddress())},"city":${json(faker.location.city())},"postal_code":${json(faker.location.zipCode())},"country":${json(english.location.countryCode())},"location":{"lat":${faker.location.latitude().toFixed(4)},"lng":${faker.location.longitude().toFixed(4)}}}`,
    tags: json(english.helpers.arrayElements(['vip', 'b2b', 'trial', 'late-payer'])),
    createdAt: json(english.date.past({ years: 5 }).toISOString()),
  };
}

/** Goes round the list. */
function pick<Item>(list: readonly Item[], index: number): Item {
  const item = list[index % list.length];
  if (item === undefined) throw new RangeError(`No item ${index}`);
  return item;
}
