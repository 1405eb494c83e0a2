import type { Faker } from '@faker-js/faker';
import { faker as german } from '@faker-js/faker/locale/de';
import { faker as english } from '@faker-js/faker/locale/en';
import { faker as japanese } from '@faker-js/faker/locale/ja';

/** Enough that a page looks real, few enough that 100,000 customers start in a moment. */
const POOL_SIZE = 256;
const REFERENCE_DATE = '2026-01-01T00:00:00.000Z';
const FIRST_DAY_MS = Date.UTC(2023, 0, 1);
const DAY_MS = 86_400_000;

/** Number texts that a client must not normalize. */
export const AMOUNTS = '1.10 0 -12.50 1999.00 0.1 1e3 12345678901234567890.123 -0.0'.split(' ');

/** JSON texts of the members that records are put together from. */
type Sample = ReturnType<typeof sampleOf>;

const pools = new Map<number, readonly Sample[]>();

/** The same seed gives the same samples. */
export function poolOf(seed: number): readonly Sample[] {
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
export function pick<Item>(list: readonly Item[], index: number): Item {
  const item = list[index % list.length];
  if (item === undefined) throw new RangeError(`No item ${index}`);
  return item;
}

/** A date without a time, such as `2024-02-29`. */
export function dayText(day: number): string {
  return new Date(FIRST_DAY_MS + day * DAY_MS).toISOString().slice(0, 10);
}
