import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printable, printableJson } from '../../../infra/command-line/printable.ts';
import { anyCharacter } from '../../any-character.ts';

test.each([
  ['\u001b[2J\u001b]0;x\u0007a', '\ufffd[2J\ufffd]0;x\ufffda'],
  ['\u009b2Ja\u202eb\u2028c\u007f', '\ufffd2Ja\ufffdb\ufffdc\ufffd'],
  ['over\rwritten', 'over\ufffdwritten'],
  ['a\nb\r\nc é 日本 🦊\n', 'a\nb\r\nc é 日本 🦊\n'],
])('%j is printed as %j', (text, printed) => {
  expect(printable(text)).toBe(printed);
});

test('JSON of any value has nothing that commands a terminal, and reads as the same value', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const json = printableJson(JSON.stringify({ [text]: text }));
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ [text]: text })));
      expect(json).not.toMatch(/\p{C}/u);
    }),
  );
});
