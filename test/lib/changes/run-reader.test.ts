import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ReaderQueue } from '../../../lib/changes/reader-queue.ts';
import { compareHeads, encodeRun, type RunRecord } from '../../../lib/changes/record-run.ts';
import { RunReader } from '../../../lib/changes/run-reader.ts';

const records = fc.array(
  fc.record({
    low: fc.nat(3),
    high: fc.constantFrom(0, 1, 0xffffffff),
    id: fc.uint8Array({ maxLength: 5 }),
    text: fc.uint8Array({ maxLength: 100 }),
    side: fc.constantFrom('before' as const, 'now' as const),
    part: fc.nat(3),
    line: fc.nat(0xffff),
  }),
);

/** Opens runs that are read so many bytes at a time. */
async function openRuns(runs: readonly Uint8Array[], pieceBytes: number) {
  const reads: number[] = [];
  const readers = runs.map((bytes) => {
    const read = async (from: number, to: number) => {
      reads.push(to - from);
      return bytes.subarray(from, to);
    };
    return new RunReader({ bytes: bytes.length, read }, 0, pieceBytes);
  });
  for (const reader of readers) await reader.advance();
  return { queue: new ReaderQueue(readers), reads };
}

function shown({ low, high, id, text, side, part, line }: RunRecord): string {
  return JSON.stringify([high, low, [...id], side, part, line, [...text]]);
}

test('gives the records of all runs back in one order, in pieces of any size', async () => {
  const runs = fc.array(records, { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(runs, fc.integer({ min: 1, max: 300 }), async (lists, pieceBytes) => {
      const { queue } = await openRuns(lists.map(encodeRun), pieceBytes);
      const read: RunRecord[] = [];
      for (let { first } = queue; first?.head !== undefined; first = queue.first) {
        const { textBytes, ...head } = first.head;
        const text = await first.text();
        expect(text.length).toBe(textBytes);
        read.push({ ...head, text });
        await first.advance();
        queue.settle();
      }
      expect(read).toEqual(read.toSorted(compareHeads));
      expect(read.map(shown).sort()).toEqual(lists.flat().map(shown).sort());
    }),
  );
});

test('reads no long text that nobody asks for', async () => {
  const text = new Uint8Array(1_000_000);
  const about = { high: 0, id: Buffer.from('1'), text, side: 'now', part: 0, line: 0 } as const;
  const { queue, reads } = await openRuns(
    [encodeRun([1, 2, 3].map((low) => ({ low, ...about })))],
    1_000,
  );
  const found: number[] = [];
  for (let { first } = queue; first?.head !== undefined; first = queue.first) {
    found.push(first.head.low);
    await first.advance();
    queue.settle();
  }

  expect(found).toEqual([1, 2, 3]);
  expect(reads).toEqual([1_000, 1_000, 1_000]);
});

test('reads a run of short records in as many pieces as it has', async () => {
  const about = { high: 0, id: Buffer.from('1'), side: 'now', part: 0, line: 0 } as const;
  const texts = Array.from({ length: 500 }, (_, low) => ({ low, text: Buffer.alloc(low) }));
  const run = encodeRun(texts.map((each) => ({ ...each, ...about })));
  const { queue, reads } = await openRuns([run], 4_096);
  for (let { first } = queue; first?.head !== undefined; first = queue.first) {
    expect((await first.text()).length).toBe(first.head.low);
    await first.advance();
    queue.settle();
  }

  expect(reads.length).toBeLessThan((1.2 * run.length) / 4_096);
});

test('says so when a run is shorter than it was', async () => {
  const reader = new RunReader({ bytes: 100, read: async () => new Uint8Array(3) }, 0, 50);

  await expect(reader.advance()).rejects.toThrow('expected 50');
});
