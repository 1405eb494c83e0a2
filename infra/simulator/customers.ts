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
const AMOUNTS = [
  '1.10',
  '0',
  '-12.50',
  '1999.00',
  '0.1',
  '1e3',
  '12345678901234567890.123',
  '-0.0',
];
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

interface Sample {
  readonly name: string;
  readonly account: string;
  readonly phone: string;
  readonly company: string;
  readonly address: string;
  readonly tags: string;
  readonly createdAt: string;
}

/** Customers of one organization. */
export function customerSource(seed: number, organizationIndex: number): RecordSource {
  const pool = poolOf(seed);
  const firstId = FIRST_ID + BigInt(organizationIndex) * IDS_PER_ORGANIZATION;
  const shift = organizationIndex * 37;
  return {
    idOf: (sequence) => String(firstId + BigInt(sequence)),
    sequenceOf: (id) => sequenceFrom(id, firstId),
    textOf: (sequence, version) => {
      const id = firstId + BigInt(sequence);
      // Strides without a common factor with the pool, so that neighbours differ in every field.
      const person = sampleAt(pool, sequence * 5 + shift);
      const place = sampleAt(pool, sequence * 11 + (sequence >> 8) + shift);
      const work = sampleAt(pool, sequence * 23 + (sequence >> 6) + 3);
      return (
        `{"id":${id},"number":"C-${String(sequence + 1).padStart(6, '0')}","version":${version}` +
        `,"name":${person.name},"email":"${person.account}.${sequence + 1}@example.com"` +
        `,"phone":${person.phone},"company":${work.company},"address":${place.address}` +
        `,"balance":${pick(AMOUNTS, sequence + version - 1)},"currency":"EUR","tags":${work.tags}` +
        `,"notes":${pick(NOTES, sequence)},"custom_fields":${pick(CUSTOM_FIELDS, sequence)}` +
        `,"active":${sequence % 7 !== 6},"created_at":${place.createdAt}}`
      );
    },
  };
}

/** Invoices: a second resource, with the same rules and other fields. */
export function invoiceSource(seed: number, organizationIndex: number): RecordSource {
  const pool = poolOf(seed);
  const firstId = 5_000_001n + BigInt(organizationIndex) * IDS_PER_ORGANIZATION;
  return {
    idOf: (sequence) => String(firstId + BigInt(sequence)),
    sequenceOf: (id) => sequenceFrom(id, firstId),
    textOf: (sequence, version) =>
      `{"id":${firstId + BigInt(sequence)},"number":"INV-${String(sequence + 1).padStart(6, '0')}"` +
      `,"version":${version},"bill_to":${sampleAt(pool, sequence * 5).name}` +
      `,"total":${pick(AMOUNTS, sequence + version)},"currency":"EUR"` +
      `,"issued_at":${sampleAt(pool, sequence * 11).createdAt}}`,
  };
}

const pools = new Map<number, readonly Sample[]>();

function poolOf(seed: number): readonly Sample[] {
  const pool = pools.get(seed) ?? createPool(seed);
  pools.set(seed, pool);
  return pool;
}

function createPool(seed: number): readonly Sample[] {
  const fakers = [english, german, japanese];
  for (const faker of fakers) {
    faker.seed(seed);
    faker.setDefaultRefDate(REFERENCE_DATE);
  }
  return Array.from({ length: POOL_SIZE }, (_, index) =>
    // Five of eight English, two German, one Japanese.
    sampleOf(index % 8 === 7 ? japanese : index % 8 > 4 ? german : english, index),
  );
}

function sampleOf(faker: Faker, index: number): Sample {
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

function sampleAt(pool: readonly Sample[], index: number): Sample {
  const sample = pool[index % pool.length];
  if (sample === undefined) throw new RangeError(`No sample ${index}`);
  return sample;
}

function pick(texts: readonly string[], index: number): string {
  return texts[index % texts.length] ?? 'null';
}

function sequenceFrom(id: string, firstId: bigint): number | undefined {
  if (!/^[1-9]\d{0,18}$/.test(id)) return undefined;
  const sequence = BigInt(id) - firstId;
  return sequence >= 0n && sequence < IDS_PER_ORGANIZATION ? Number(sequence) : undefined;
}
