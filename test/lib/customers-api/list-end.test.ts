import { expect, test } from '@jest/globals';
import type { Fault } from '../../../infra/simulator/faults.ts';
import { META_DIALECTS, type MetaDialect } from '../../../infra/simulator/meta-dialects.ts';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';
import { RefusedError } from '../../../lib/customers-api/outcome-error.ts';
import { CANARY, startSimulatedApi } from './simulated-api.ts';

const PER_PAGE = 100;
/** Nothing, one record, just a page, one more, several pages, a whole number of pages. */
const SIZES = [0, 1, 100, 101, 250, 300];

const cases = META_DIALECTS.flatMap((meta) => SIZES.map((customers) => [meta, customers] as const));

test('knows at least eight dialects of meta', () => {
  expect(META_DIALECTS.length).toBeGreaterThanOrEqual(8);
});

test.each(cases)(
  '%s with %i customers: each once, at most one request past the end',
  async (meta, customers) => {
    const { simulator, client } = await startSimulatedApi(
      { meta, customers, maxPerPage: PER_PAGE },
      { perPage: 1000 },
    );
    try {
      const received = await Array.fromAsync(client.customers(), ({ text }) => text);

      expect(received).toEqual(simulator.customersOf(CANARY));
      const pages = Math.ceil(customers / PER_PAGE);
      expect(simulator.log.entries.length).toBeLessThanOrEqual(pages + 1);
      expect(simulator.log.entries.length).toBe(requestsWith(meta, customers, pages));
    } finally {
      await simulator.close();
    }
  },
);

/** Dialects whose evidence ends the list need no request past it. */
function requestsWith(meta: MetaDialect, customers: number, pages: number): number {
  const isSelfContained = [
    'rails',
    'laravel',
    'laravel-flat',
    'nested',
    'has-more',
    'pages-only',
    'data-key',
  ].includes(meta);
  if (isSelfContained) return Math.max(1, pages);
  // A total that equals the first page's own length could be a count of this page.
  const isTotal = meta === 'total-only' && pages > 1;
  return isTotal || customers === 0 ? Math.max(1, pages) : pages + 1;
}

test.each([
  ['HTML', '<html><h1>404 Not Found</h1></html>'],
  ['plain text', 'default backend - 404'],
  ['nothing', ''],
])('a 404 with %s, as of a proxy while the API is deployed, ends no list', async (_, text) => {
  // The second page is short, as of an API that leaves out records after it cut the pages.
  const bodies = [[{ id: 1 }, { id: 2 }], [{ id: 3 }]].map((records) => JSON.stringify(records));
  const client = createCustomersClient({
    baseUrl: 'https://api.example',
    key: CANARY,
    fetch: async () => {
      const body = bodies.shift();
      return body === undefined ? new Response(text, { status: 404 }) : new Response(body);
    },
  });
  await expect(Array.fromAsync(client.customers())).rejects.toMatchObject({ status: 404 });
});

test.each([
  ['an empty page', []],
  ['a refusal', [{ fault: { kind: 'past-end-status', status: 404 } }]],
  ['the last page again', [{ fault: { kind: 'repeat-last-page' } }]],
] satisfies [string, readonly Fault[]][])(
  'ends a list that links to a next page on every page with %s past the end',
  async (_, faults) => {
    const { simulator, client } = await startSimulatedApi(
      { meta: 'spree', customers: 250, maxPerPage: PER_PAGE, faults },
      { perPage: PER_PAGE },
    );
    try {
      expect(await Array.fromAsync(client.customers(), ({ text }) => text)).toEqual(
        simulator.customersOf(CANARY),
      );
    } finally {
      await simulator.close();
    }
  },
);

test.each([1, 2, 16, 17, 50])(
  'ends a list without meta that begins again after %i pages, however its pages are ordered',
  async (length) => {
    const { simulator, client } = await startSimulatedApi(
      { meta: 'none', customers: 1_000, faults: [{ fault: { kind: 'cycle-pages', length } }] },
      { perPage: 10 },
    );
    try {
      const reading = Array.fromAsync(client.customers());
      await expect(reading).rejects.toMatchObject({ reason: 'not-advancing' });
      expect(simulator.log.entries.length).toBeLessThan(3 * length + 10);
    } finally {
      await simulator.close();
    }
  },
);

test('refuses a page that has the records of the one before in another order', async () => {
  const { simulator, client } = await startSimulatedApi(
    {
      meta: 'total-only',
      customers: 20,
      faults: [{ when: { page: 2 }, fault: { kind: 'repeat-page', of: 1 } }],
    },
    { perPage: 10 },
  );
  try {
    const reading = Array.fromAsync(client.customers());
    await expect(reading).rejects.toMatchObject({ reason: 'not-advancing' });
  } finally {
    await simulator.close();
  }
});

test('starts at page 0 where firstPage says so', async () => {
  const { simulator, client } = await startSimulatedApi(
    { firstPage: 0, meta: 'rails' },
    { firstPage: 0, perPage: 100 },
  );
  try {
    expect(await Array.fromAsync(client.customers(), ({ text }) => text)).toEqual(
      simulator.customersOf(CANARY),
    );
  } finally {
    await simulator.close();
  }
});

test.each(['rails', 'total-only', 'pages-only', 'laravel'] as const)(
  'fails instead of leaving out page 0 of an API that counts from 0 (%s)',
  async (meta) => {
    const { simulator, client } = await startSimulatedApi({ firstPage: 0, meta }, { perPage: 100 });
    try {
      await expect(Array.fromAsync(client.customers())).rejects.toThrow(RefusedError);
      await expect(Array.fromAsync(client.customers())).rejects.toThrow(/firstPage/);
    } finally {
      await simulator.close();
    }
  },
);
