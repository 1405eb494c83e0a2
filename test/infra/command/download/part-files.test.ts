import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { linesIn, textIn } from '../../../../infra/command/download/part-files.ts';
import { COMPRESSIONS, endingOf } from '../../../../lib/exports/compression.ts';
import { packed } from '../../../unpacked.ts';

const folder = mkdtempSync(join(tmpdir(), 'part-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(COMPRESSIONS)('a part of %s', (compression) => {
  function stored(text: string): string {
    const file = join(folder, `part${endingOf(compression)}`);
    writeFileSync(file, packed(compression, text));
    return file;
  }

  test('the text of a part comes in small pieces, however far it unpacks', async () => {
    const text = '{"name":"é€😀"}\n'.repeat(500_000);
    const pieces: number[] = [];
    let begins = '';
    for await (const piece of textIn(stored(text))) {
      pieces.push(piece.length);
      begins ||= piece.slice(0, 20);
      expect(piece.includes('\ufffd')).toBe(false);
    }
    expect(pieces.reduce((sum, length) => sum + length, 0)).toBe(text.length);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(64 * 1024);
    expect(begins).toBe(text.slice(0, 20));
  });

  test('only a line feed ends a line, also where pieces are cut', async () => {
    const lines = [`{"a":"\u2028\u2029\r"}`, `{"a":"${'x'.repeat(200_000)}"}`, '{}'];
    const found: string[] = [];
    for await (const some of linesIn(stored(`${lines.join('\n')}\n`))) found.push(...some);
    expect(found).toEqual(lines);
  });

  test.each([
    [
      'is cut',
      (file: string) => writeFileSync(file, packed(compression, 'x'.repeat(1000)).subarray(0, -9)),
    ],
    ['is gone', (file: string) => rmSync(file)],
  ])('a part that %s ends with an error', async (_, spoil) => {
    const file = stored('x');
    spoil(file);
    const read = async () => {
      for await (const text of textIn(file)) expect(text).toBeDefined();
    };
    await expect(read()).rejects.toThrow();
  });
});
