import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { shownText } from '../../../lib/customers-api/shown-text.ts';
import { anyCharacter } from '../../any-character.ts';

test.each([
  ['total_count', 'total_count'],
  ['Kundennummer ä 客户 ✓', 'Kundennummer ä 客户 ✓'],
  ['a\nlevel: error\u0000\u001b[31m', 'a\ufffdlevel: error\ufffd\ufffd[31m'],
  ['abc\u202edef\u200b\u2028', 'abc\ufffddef\ufffd\ufffd'],
  ['half \ud83d of a pair', 'half \ufffd of a pair'],
  ['x'.repeat(41), `${'x'.repeat(39)}…`],
  ['x'.repeat(40), 'x'.repeat(40)],
])('shows %j as %j', (text, shown) => {
  expect(shownText(text, 40)).toBe(shown);
});

test('is never longer than allowed, and prints', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }),
      fc.integer({ min: 1, max: 50 }),
      (text, length) => {
        const shown = shownText(text, length);
        expect(shown.length).toBeLessThanOrEqual(length);
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(shown.isWellFormed()).toBe(true);
      },
    ),
  );
});
