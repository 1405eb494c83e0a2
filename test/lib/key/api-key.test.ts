import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidKeyError } from '../../../lib/errors.ts';
import { ApiKey, revealKey } from '../../../lib/key/api-key.ts';

const canary = 'cAnArY-0123456789/+="quoted"';

test('shows [redacted] however it is printed', () => {
  const key = ApiKey.from(canary);

  expect(inspect({ key })).toBe('{ key: [redacted] }');
  const shown = [
    String(key),
    `${key}`,
    JSON.stringify({ key }),
    inspect(key, { depth: 9, showHidden: true }),
    inspect({ nested: [{ key }] }, { depth: 9, showHidden: true, getters: true }),
    Object.entries(key).join(),
  ].join('\n');

  expect(shown).toContain('[redacted]');
  expect(shown).not.toContain('cAnArY');
});

test.each(['k', 'old_format:1234', '~!@#$%^&*()"\\', 'x'.repeat(4096)])(
  'keeps any visible ASCII text as it is, whatever its format',
  (text) => {
    expect(revealKey(ApiKey.from(text))).toBe(text);
  },
);

test.each([
  ['', 'is empty'],
  [`${canary}\n`, 'ends with a line break'],
  [`${canary}\r\nX: y`, 'has a line break inside'],
  [` ${canary}`, 'begins or ends with white space'],
  ['two words-cAnArY', 'has white space inside'],
  [`${canary}\u0000`, 'has a control character inside'],
  [`${canary}é`, 'has a character outside ASCII'],
  [`${canary}\u{1f511}`, 'has a character outside ASCII'],
  ['cAnArY'.repeat(1000), 'has 6000 characters'],
  [undefined, 'is undefined, not text'],
  [null, 'is null, not text'],
  [42, 'is of type number, not text'],
  [{ apiKey: canary }, 'is of type object, not text'],
])('fails for a key that no header can carry, naming why (%#)', (text, why) => {
  expect(() => ApiKey.from(text)).toThrow(InvalidKeyError);
  expect(() => ApiKey.from(text)).toThrow(why);
});

test('never shows a character of a refused key', () => {
  const refused = fc
    .string({ unit: 'grapheme-composite', minLength: 3 })
    .map((text) => `${text} \n`);
  fc.assert(
    fc.property(refused, (text) => {
      const error = thrownBy(() => ApiKey.from(text));
      const marked = thrownBy(() => ApiKey.from(' other \n'));
      // The message depends on what is wrong and on nothing else of the text.
      expect(inspect(error).split('\n')[0]).toBe(inspect(marked).split('\n')[0]);
    }),
  );
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
