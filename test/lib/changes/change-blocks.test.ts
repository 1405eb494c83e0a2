import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  blockLines,
  blocksFrom,
  type ChangeBlock,
  ChangeBlockSchema,
} from '../../../lib/changes/change-blocks.ts';

/** A file of blocks with lines like `changed 17`. */
function fileOf(kindsOfBlocks: readonly (readonly Kind[])[]) {
  const lines: string[] = [];
  const members = kindsOfBlocks.map((kinds) => {
    const own = kinds.map((kind) => `${kind} ${lines.push(`${kind} ${lines.length}`) - 1}`);
    return gzipSync(own.map((line) => `${line}\n`).join(''));
  });
  const countOf = (kinds: readonly Kind[], kind: Kind) => kinds.filter((k) => k === kind).length;
  const blocks = members.map((member, index): ChangeBlock => {
    const kinds = kindsOfBlocks[index] ?? [];
    const [added, changed] = [countOf(kinds, 'added'), countOf(kinds, 'changed')];
    return [member.length, added, changed, countOf(kinds, 'removed')];
  });
  return { file: Buffer.concat(members), blocks, lines };
}

type Kind = 'added' | 'changed' | 'removed';
const someKinds = fc.array(fc.constantFrom<Kind[]>('added', 'changed', 'removed'), {
  minLength: 1,
  maxLength: 6,
});

test('from any line on, the blocks have every line that is left, and begin with at most one block before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someKinds, { maxLength: 6 }), fc.nat(40), async (kinds, line) => {
      const { file, blocks, lines } = fileOf(kinds);
      const read: string[] = [];
      let first: number | undefined;
      for (const place of blocksFrom(blocks, line)) {
        first ??= place.firstLine;
        expect(place.firstLine).toBe(first + read.length);
        read.push(...(await blockLines(file.subarray(place.from, place.to), place)));
      }

      expect(read.slice(line - (first ?? line))).toEqual(lines.slice(line));
      expect(first ?? 0).toBeLessThanOrEqual(line);
    }),
    { numRuns: 50 },
  );
});

test.each([[[1, 2, 3]], [[1, 2, 3, -1]], [[1, 2, 3, 0.5]], [[1, 2, 3, 4, 5]]])(
  '%j is no block',
  (block) => {
    expect(v.is(ChangeBlockSchema, [9, 1, 0, 0])).toBe(true);
    expect(v.is(ChangeBlockSchema, block)).toBe(false);
  },
);

test('bytes that are not of this block are no lines', async () => {
  const { file, blocks } = fileOf([['added', 'added'], ['removed']]);
  const [first, second] = blocksFrom(blocks, 0);
  if (first === undefined || second === undefined) throw new Error('expected two blocks');

  const other = blockLines(file.subarray(second.from, second.to), first);
  await expect(other).rejects.toThrow('a block of changes: expected 2 lines, got 1');
  const cut = blockLines(file.subarray(first.from, first.to - 9), first);
  await expect(cut).rejects.toThrow('unexpected end of file');
});
