import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Change, ChangeKind } from '../../../lib/changes/change.ts';
import { type ChangesAsk, readChangesPage } from '../../../lib/changes/changes-page.ts';
import { changeOf, lineOf, storedChanges } from './stored-changes.ts';

const KINDS: readonly ChangeKind[] = ['added', 'changed', 'removed'];
const MUCH = 1e9;

type Ask = Omit<ChangesAsk, 'line'>;

/** Reads all pages, and what each of them took. */
async function allPages(blocks: readonly (readonly Change[])[][], ask: Ask) {
  const { files, bodies } = storedChanges(blocks);
  const pages: { readonly changes: readonly string[]; readonly reads: number }[] = [];
  let line: number | undefined = 0;
  while (line !== undefined) {
    let reads = 0;
    const page = await readChangesPage(files, { ...ask, line }, async (key, from, to) => {
      reads += 1;
      return bodies.get(key)?.subarray(from, to) ?? Buffer.of();
    });
    pages.push({ changes: page.changes, reads });
    if (page.next !== undefined && page.next <= line) throw new Error('stands still');
    line = page.next;
  }
  return pages;
}

/** Numbers the changes of random kinds. */
function numbered(kinds: readonly (readonly (readonly ChangeKind[])[])[]) {
  let number = 0;
  return kinds.map((blocks) =>
    blocks.map((block) => block.map((kind) => changeOf(kind, number++))),
  );
}

const someFiles = fc.array(
  fc.array(fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 4,
  }),
  { maxLength: 3 },
);

test('the pages together have each change of the kind once, in order, and none is empty but a last one', async () => {
  await fc.assert(
    fc.asyncProperty(
      someFiles,
      fc.integer({ min: 1, max: 7 }),
      fc.option(fc.constantFrom(...KINDS), { nil: undefined }),
      fc.constantFrom(300, 700, MUCH),
      async (kinds, limit, kind, maxBytes) => {
        const files = numbered(kinds);
        const pages = await allPages(files, { limit, kind, maxBytes, withRecords: true });
        const expected = files
          .flat(2)
          .filter(({ change }) => kind === undefined || change === kind)
          .map((change) => lineOf(change).trimEnd());

        expect(pages.flatMap(({ changes }) => changes)).toEqual(expected);
        for (const { changes } of pages) expect(changes.length).toBeLessThanOrEqual(limit);
        if (expected.length > 0) {
          for (const { changes } of pages) expect(changes.length).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('a page reads the blocks that it shows and no others, however many there are', async () => {
  const blocks = [...Array(200).keys()].map((at) => [
    changeOf(at % 50 === 49 ? 'removed' : 'added', at),
  ]);
  const few = { limit: 2, withRecords: false, maxBytes: MUCH };

  const all = await allPages([blocks], few);
  expect(Math.max(...all.map(({ reads }) => reads))).toBe(2);
  const removed = await allPages([blocks], { ...few, kind: 'removed' });
  expect(removed.map(({ reads }) => reads)).toEqual([2, 2]);
  // 1,000 of one change each would take too long for one answer.
  const wide = await allPages([blocks], { ...few, limit: 1000 });
  expect(wide.map(({ changes, reads }) => [changes.length, reads])).toEqual(
    Array(5).fill([40, 40]),
  );
});

test('a change shows its record only where it is asked for, and no digit is lost', async () => {
  const blocks = [[[changeOf('changed', 7)]]];
  const ask = { limit: 1, maxBytes: MUCH };
  const [withRecord] = await allPages(blocks, { ...ask, withRecords: true });
  const [without] = await allPages(blocks, { ...ask, withRecords: false });

  expect(withRecord?.changes).toEqual([lineOf(changeOf('changed', 7)).trimEnd()]);
  expect(without?.changes).toEqual([
    '{"change":"changed","id":90071992547409937,"members":["note"],"before":"0123456789abcdef","after":"fedcba9876543210","at":{"key":"part-00001.ndjson.gz","line":8}}',
  ]);
});

test('a record that does not fit into any answer is null, and the change is told', async () => {
  const changes = [changeOf('added', 1), changeOf('removed', 2, 5000), changeOf('added', 3)];
  const pages = await allPages([[changes]], { limit: 9, maxBytes: 2000, withRecords: true });
  const shown = pages.flatMap((page) => page.changes).map((text) => Object(JSON.parse(text)));

  expect(shown.map(({ change, at }) => [change, at.line])).toEqual([
    ['added', 2],
    ['removed', 3],
    ['added', 4],
  ]);
  expect(shown.map(({ record }) => record === null)).toEqual([false, true, false]);
});

test('a page has no more bytes than an answer holds', async () => {
  const changes = [...Array(50).keys()].map((number) => changeOf('added', number, 200));
  const pages = await allPages([[changes]], { limit: 50, maxBytes: 3000, withRecords: true });

  expect(pages.length).toBeGreaterThan(5);
  for (const page of pages) {
    expect(Buffer.byteLength(JSON.stringify(page.changes.join('')))).toBeLessThanOrEqual(3000);
  }
});
