import { expect, test } from '@jest/globals';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';
import { textsOf, type WalkedPage, waitOut } from '../../../lib/customers-api/list-loop.ts';
import { idTexts } from '../../../lib/customers-api/record-places.ts';
import { pageOf } from './walks/moving-list.ts';

async function textsIn(isVerified: boolean, ...pages: readonly (readonly string[])[]) {
  async function* walked(): AsyncGenerator<WalkedPage> {
    for (const [at, records] of pages.entries()) {
      const page = pageOf(records, at + 1, {}, 'id');
      yield { ...page, ids: idTexts(page.ndjson, page.recordCount, 'id') };
    }
  }
  const texts = await Array.fromAsync(textsOf(walked(), isVerified));
  return texts.map((ofPage) => ofPage.map(({ text }) => text));
}

const ANN = '{"id":1,"name":"Ann"}';
const BOB = '{"id":2,"name":"Bob"}';
const CID = '{"id":1,"name":"Cid"}';

test('of one answer no record is left out for the id of another one, but for its whole text', async () => {
  expect(await textsIn(true, [ANN, BOB, CID, ANN])).toEqual([[ANN, BOB, CID]]);
});

test('a verified walk gives an id of an earlier page no more, also where it is escaped otherwise', async () => {
  const plain = '{"id":"a/1"}';
  const escaped = '{"id":"a\\/1"}';
  expect(await textsIn(true, [ANN, plain], [BOB, CID, escaped])).toEqual([[ANN, plain], [BOB]]);
});

/** Shows one after the other, and the last one for ever. */
const clockOf = (...ms: number[]) => {
  const left = [...ms];
  return { left, read: () => (left.length > 1 ? left.shift() : left[0]) ?? 0 };
};

test('waits until both clocks show the end, whichever shows it first', async () => {
  const wait = { retryAfterSeconds: 0.003 };
  const [ofDay, unset] = [clockOf(0, 1, 2, 3), clockOf(0, 1, 2, 3)];

  await waitOut(wait, { now: ofDay.read, elapsed: clockOf(0, 9).read });
  await waitOut(wait, { now: clockOf(0, 9).read, elapsed: unset.read });

  expect([ofDay.left, unset.left]).toEqual([[3], [3]]);
});

/** An API with four pages, counted from 1, that tells nothing of their number. */
function clientOf(answer: (page: number, before: number) => number | undefined) {
  const asked: number[] = [];
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const { searchParams } = new URL(new Request(input, init).url);
    const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))];
    const status = answer(page, asked.push(page) - 1);
    if (status === 0) throw new TypeError('fetch failed');
    if (status !== undefined) return new Response('', { status });
    const ids = Array.from({ length: 35 }, (_, at) => at + 1).slice((page - 1) * size, page * size);
    return Response.json({ customers: ids.map((id) => ({ id })) });
  };
  const client = createCustomersClient({
    baseUrl: 'https://api.example.com',
    key: 'canary-key-4711',
    perPage: 10,
    fetch,
  });
  return { asked, pages: client.pages({ walk: 'verified' }) };
}

test.each([403, 404, 500, 502, 503, 0])(
  'a loop over all pages is not ended by page 0, nor is the key rejected, where that is answered by %i',
  async (status) => {
    const { asked, pages } = clientOf((page) => (page === 0 ? status : undefined));
    const ids = new Set((await Array.fromAsync(pages)).flatMap((page) => page.ids));
    expect([ids.size, asked.includes(0)]).toEqual([35, true]);
  },
);

test('a key that is rejected from page 0 on is sent once more by 403, for the next page, and no more by 401', async () => {
  for (const [status, until] of [
    [403, [1, 0, 2]],
    [401, [1, 0]],
  ] as const) {
    const { asked, pages } = clientOf((_page, before) => (before > 0 ? status : undefined));
    await expect(Array.fromAsync(pages)).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' });
    expect(asked).toEqual(until);
  }
});

test('an error names the page that was asked for', async () => {
  const { pages } = clientOf((page) => (page === 0 ? 429 : undefined));
  await expect(Array.fromAsync(pages)).rejects.toThrow('Page 0: The API asks to wait');
});
