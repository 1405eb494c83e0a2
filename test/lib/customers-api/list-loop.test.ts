import { expect, test } from '@jest/globals';
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
