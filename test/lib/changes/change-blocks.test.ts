import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { blockLines, blocksFrom } from '../../../lib/changes/change-blocks.ts';
import type { ChangesBlock } from '../../../lib/changes/changes-summary.ts';

type Kind = 'added' | 'changed' | 'removed';
type Kinds = readonly (readonly (readonly Kind[])[])[];

/** Files of blocks with lines like `changed 17`. */
function filesOf(kindsOfFiles: Kinds) {
  const lines: string[] = [];
  const bodies = new Map<string, Buffer>();
  const files = kindsOfFiles.map((kindsOfBlocks, index) => {
    const blocks: ChangesBlock[] = [];
    const members = kindsOfBlocks.map((kinds) => {
      const own = kinds.map((kind, at) => `${kind} ${lines.length + at}`);
      lines.push(...own);
      const member = gzipSync(own.map((line) => `${line}\n`).join(''));
      const count = (kind: Kind) => kinds.filter((each) => each === kind).length;
      blocks.push([member.length, count('added'), count('changed'), count('removed')]);
      return member;
    });
    const key = `changes-0000${index + 1}.ndjson.gz`;
    bodies.set(key, Buffer.concat(members));
    return { key, blocks };
  });
  return { files, bodies, lines };
}

const someKinds = fc.array(fc.constantFrom<Kind[]>('added', 'changed', 'removed'), {
  minLength: 1,
  maxLength: 6,
});
const someFiles = fc.array(fc.array(someKinds, { maxLength: 4 }), { maxLength: 3 });

test('from any line on, the blocks have every line that is left, and the first of them has the line', async () => {
  await fc.assert(
    fc.asyncProperty(someFiles, fc.nat(40), async (kinds, line) => {
      const { files, bodies, lines } = filesOf(kinds);
      const read: string[] = [];
      let first: number | undefined;
      let inFirst = 1;
      for (const place of blocksFrom(files, line)) {
        first ??= place.firstLine;
        expect(place.firstLine).toBe(first + read.length);
        const bytes = bodies.get(place.key)?.subarray(place.from, place.to) ?? Buffer.of();
        read.push(...(await blockLines(bytes, place)));
        if (place.firstLine === first) inFirst = read.length;
      }

      expect(read.slice(line - (first ?? line))).toEqual(lines.slice(line));
      expect(first ?? 0).toBeLessThanOrEqual(line);
      expect((first ?? line) + inFirst).toBeGreaterThan(line);
    }),
    { numRuns: 50 },
  );
});

test('bytes that are not of this block are no lines', async () => {
  const { files, bodies } = filesOf([[['added', 'added'], ['removed']]]);
  const [first, second] = blocksFrom(files, 0);
  if (first === undefined || second === undefined) throw new Error('expected two blocks');
  const { key } = first;
  const file = bodies.get(key) ?? Buffer.of();

  const other = blockLines(file.subarray(second.from, second.to), first);
  await expect(other).rejects.toThrow(`${key}: expected 2 changes in a block, got 1`);
  const cut = blockLines(file.subarray(first.from, first.to - 9), first);
  await expect(cut).rejects.toThrow('unexpected end of file');
});
