import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amountOf } from '../../deep/depth.ts';
import { type ApiRequest, type ApiWorld, CANARIES, startApiWorld } from './api-world.ts';

let world: ApiWorld;
const owned = { alpha: new Set<string>(), beta: new Set<string>() };
const exportIds = { alpha: '', beta: '' };
beforeAll(async () => {
  world = await startApiWorld();
  for (const connection of ['alpha', 'beta'] as const) {
    for (const record of world.simulator.customersOf(CANARIES[connection])) {
      owned[connection].add(String(JSON.parse(record).email));
    }
    const { body } = await world.ask({
      method: 'POST',
      path: `/connections/${connection}/exports`,
    });
    exportIds[connection] = Object(body['export']).exportId;
  }
});
afterAll(() => world.close());

const OTHER = { alpha: 'beta', beta: 'alpha' } as const;

/** Everything by which a caller could try to name the other connection. */
function requestsFor(mine: 'alpha' | 'beta'): fc.Arbitrary<ApiRequest> {
  const theirs = OTHER[mine];
  const names = fc.oneof(
    { weight: 3, arbitrary: fc.constant<string>(theirs) },
    fc.constantFrom(mine, `customers-api/${theirs}`, `../${theirs}`, `${mine}/${theirs}`, '*'),
    fc.constantFrom(exportIds.alpha, exportIds.beta, CANARIES.alpha, CANARIES.beta),
    fc.string({ maxLength: 40 }),
  );
  const segment = names.map((name) => encodeURIComponent(name));
  const first = fc.oneof(
    { weight: 3, arbitrary: fc.constant<string>(mine) },
    segment.map((name) => `${mine}${name}`),
    segment.map((name) => `${mine}%2F..%2F${name}`),
    segment.map((name) => `${mine}/../${name}`),
    fc.constantFrom(
      `${mine}%00`,
      `${mine};${theirs}`,
      `${mine}%20`,
      `${mine}.`,
      mine.toUpperCase(),
    ),
  );
  const rest = fc.oneof(
    fc.constantFrom(
      'customers',
      'lists/customers',
      'exports',
      `exports/${exportIds[theirs]}`,
      'customers/',
    ),
    segment.map((name) => `exports/${name}`),
    segment.map((name) => `lists/${name}`),
    segment.map((name) => `customers/../../${name}/customers`),
  );
  const fields = (known: readonly string[]) => {
    const name = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...known) },
      fc.string({ maxLength: 12 }),
    );
    return orNothing(fc.dictionary(name, names, { maxKeys: 4 }), {});
  };
  const bodies = fc.oneof(
    names,
    names.map((connection) => JSON.stringify({ connection, key: CANARIES[theirs] })),
  );
  return fc
    .record({
      method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'HEAD'),
      first: orNothing(first, mine),
      rest: orNothing(rest, 'customers'),
      query: fields(['page', 'per_page', 'connection', 'baseUrl', 'key', 'after', 'limit']),
      headers: fields(['api-key', 'authorization', 'x-connection', 'idempotency-key', 'host']),
      body: orNothing(bodies, ''),
    })
    .map(({ method, first, rest, query, headers, body }) => {
      const search = new URLSearchParams(query).toString();
      const path = `/connections/${first}/${rest}${search === '' ? '' : `?${search}`}`;
      return { method, path, headers, body };
    });
}

/** Mostly the ordinary: a request with one wrong part gets further than one that is wrong everywhere. */
function orNothing<T>(arbitrary: fc.Arbitrary<T>, ordinary: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant(ordinary) }, arbitrary);
}

const numRuns = amountOf({ short: 150, deep: 2_000 });

test.each(['alpha', 'beta'] as const)(
  'whatever a caller of %s sends, nothing of the other connection comes back',
  async (mine) => {
    const theirs = OTHER[mine];
    let pages = 0;
    const check = async (request: ApiRequest) => {
      const { status, text } = await world.ask(request);
      if (status === 200 && text.startsWith('{"customers":[{')) pages += 1;
      for (const email of emailsIn(text)) {
        expect(owned[mine]).toContain(email);
        expect(owned[theirs]).not.toContain(email);
      }
      expect(text).not.toContain(`"connection":"${theirs}"`);
      expect(text).not.toMatch(/cAnArY/);
      expect(status).toBeLessThan(500);
    };
    await check({ path: `/connections/${mine}/customers?per_page=50` });
    const sentBefore = sentBy(theirs);

    await fc.assert(fc.asyncProperty(requestsFor(mine), check), { numRuns });

    expect(pages).toBeGreaterThan(0);
    expect(sentBy(theirs)).toBe(sentBefore);
    expect(await world.ledger.readLine(theirs)).toMatchObject({
      entries: [{ exportId: exportIds[theirs] }],
    });
  },
  180_000,
);

test('no key and no customer is in any line of the log', () => {
  const lines = world.logged.join('');
  expect(lines).not.toMatch(/cAnArY/);
  expect(emailsIn(lines)).toEqual([]);
});

function emailsIn(text: string): readonly string[] {
  return text.match(/[\w.+-]+@example\.com/g) ?? [];
}

function sentBy(organization: string): number {
  return world.simulator.log.entries.filter(({ keyId }) => keyId.startsWith(`${organization}/`))
    .length;
}
