import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { CLIENT_DOORS, CLIENT_OBJECTS } from './client-doors.ts';
import { INFRA_DOORS, infraObjects } from './infra-doors.ts';
import { LAMBDA_DOORS, lambdaObjects } from './lambda-doors.ts';
import { endTesting, TESTING_DOORS, testingObjects } from './testing-doors.ts';
import { type Door, walkDoor } from './walk-door.ts';

interface Entry {
  readonly page: string;
  /** The list of its exports. */
  readonly entry: string;
  readonly doors: readonly Door[];
  /** By what they are called in the names of doors. */
  readonly objects: () => Promise<Readonly<Record<string, object>>>;
  /** What nobody calls: errors, which the package makes itself, and constants. */
  readonly closed: readonly string[];
}

const ENTRIES: readonly Entry[] = [
  {
    page: 'client.md',
    entry: 'lib/index.ts',
    doors: CLIENT_DOORS,
    objects: async () => CLIENT_OBJECTS,
    closed: [
      ...['AuthenticationError', 'CustomersError', 'InvalidKeyError', 'ListError'],
      ...['RefusedError', 'SettingError', 'ThrottledError', 'UnavailableError'],
    ],
  },
  {
    page: 'lambda.md',
    entry: 'functions/index.ts',
    doors: LAMBDA_DOORS,
    objects: lambdaObjects,
    closed: ['AwsCallError', 'NoZstdError', 'UnknownConnectionError'],
  },
  {
    page: 'testing.md',
    entry: 'infra/testing.ts',
    doors: TESTING_DOORS,
    objects: testingObjects,
    closed: ['DEMO_KEY'],
  },
  {
    page: 'infra.md',
    entry: 'infra/index.ts',
    doors: INFRA_DOORS,
    objects: infraObjects,
    closed: ['SettingError', 'functionBundling'],
  },
];

afterAll(endTesting);

const DOORS = ENTRIES.flatMap(({ doors }) => doors);

test.each(DOORS)('$name refuses by name what it cannot use', async (door) => {
  const { findings } = await walkDoor(door);

  expect(findings).toEqual([]);
});

test.each(ENTRIES)(
  'every function of the page $page is a door',
  async ({ entry, doors, closed }) => {
    // As a user gets them.
    const exports: object = await import(join(import.meta.dirname, '../..', entry));
    const names = new Set(doors.map(({ name }) => name.replace(/[. ].*/, '')));
    const unknown = Object.keys(exports).filter((name) => !names.has(name));

    expect(unknown.toSorted()).toEqual(closed.toSorted());
  },
);

test.each(ENTRIES)('every method of what the page $page gives is a door', async (entry) => {
  const names = new Set(entry.doors.map(({ name }) => name));
  const methods = Object.entries(await entry.objects()).flatMap(([name, object]) =>
    methodsOf(object).map((method) => `${name}.${method}`),
  );

  expect(methods.filter((method) => !names.has(method))).toEqual([]);
  expect(methods).not.toEqual([]);
});

function methodsOf(object: object): readonly string[] {
  const own = Object.getOwnPropertyNames(object).filter((name) => name !== 'constructor');
  return own.filter((name) => typeof Reflect.get(object, name) === 'function');
}

const TYPED = ENTRIES.flatMap(({ page, doors }) =>
  doors.flatMap(({ name, given, types = {}, needed = [] }) =>
    Object.entries(types).map(([place, type]) => ({ page, name, given, place, type, needed })),
  ),
);

test.each(TYPED)('$name is tried with every member of $type', (each) => {
  const { page, given, place, type, needed } = each;
  const members = membersIn(page, type);
  const value = place
    .split('.')
    .reduce<unknown>((all, name) => Reflect.get(Object(all), name), given);
  // A schema stands beside the members of an interface.
  const names = Object.keys(Object(value)).filter((name) => name !== 'schema');

  expect(names.toSorted()).toEqual(Object.keys(members).toSorted());
  expect(names.filter((name) => needed.includes(`${place}.${name}`)).toSorted()).toEqual(
    names
      .filter((name) => members[name] === 'needed' || NEEDED_HERE.has(`${type}.${name}`))
      .toSorted(),
  );
});

/** Has a default in Lambda alone. */
const NEEDED_HERE = new Set(['DynamoDbEventStoreOptions.consumer']);

/** Members of an interface in docs/reference, which says what the types say. */
function membersIn(page: string, type: string): Readonly<Record<string, 'needed' | 'optional'>> {
  const text = readFileSync(join(import.meta.dirname, '../../docs/reference', page), 'utf8');
  const section = text.split(/^### /m).find((each) => each.startsWith(`${type}\n`)) ?? '';
  const rows = section.matchAll(/^\| <a id="property-[^"]*"><\/a> `(\w+)(\?)?`/gm);
  return Object.fromEntries(
    [...rows].map(([, name = '', isOptional]) => [name, isOptional ? 'optional' : 'needed']),
  );
}
