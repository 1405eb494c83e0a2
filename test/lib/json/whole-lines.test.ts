import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WholeLines } from '../../../lib/json/whole-lines.ts';

const MEBIBYTE = 1024 * 1024;

function linesOf(pieces: readonly string[], maxLineBytes: number) {
  const lines: string[] = [];
  const take = (bytes: Uint8Array, from: number, to: number) => {
    const text = Buffer.from(bytes.subarray(from, to)).toString();
    if (text !== '') lines.push(...text.slice(0, -1).split('\n'));
  };
  const whole = new WholeLines({ take, takeLonger: () => lines.push('longer') }, maxLineBytes);
  for (const piece of pieces) whole.push(Buffer.from(piece));
  return { lines, isCut: whole.isCut };
}

test('gives whole lines in their order, in whatever pieces they come', () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\n') }));
  fc.assert(
    fc.property(pieces, (texts) => {
      const lines = texts.join('').split('\n');
      const rest = lines.pop();
      expect(linesOf(texts, MEBIBYTE)).toEqual({ lines, isCut: rest !== '' });
    }),
  );
});

test('passes over a line that is too long, whatever the pieces', () => {
  const long = `${'x'.repeat(2 * MEBIBYTE)}\n`;
  for (const pieces of [[`a\n${long}b\n`], ['a\n', long.slice(0, 9), long.slice(9), 'b\n']]) {
    expect(linesOf(pieces, MEBIBYTE).lines).toEqual(['a', 'longer', 'b']);
  }
  expect(linesOf([`a\n${long}b\n`], 3 * MEBIBYTE).lines[1]?.length).toBe(2 * MEBIBYTE);
});
