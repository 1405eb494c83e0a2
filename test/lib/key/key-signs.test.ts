import { expect, test } from '@jest/globals';
import { keyFormsOf } from '../../../lib/key/key-forms.ts';
import { keySignsOf, searchedText } from '../../../lib/key/key-signs.ts';

const mayBeIn = keySignsOf(keyFormsOf('secret-key=4711'));

function isSign(text: string): boolean {
  return mayBeIn(searchedText(Buffer.from(text)));
}

test.each(['name=\nvalue', 'note=\r\nz', '{"note":"name=\\nvalue"}'])(
  'a line break behind an equals sign is no sign of a key by itself: %j',
  (text) => {
    expect(isSign(text)).toBe(false);
  },
);

test.each([
  'secre=\nt-key=4711',
  'secre=\\r\\nt-key=4711',
  'secre=\n=74-key=4711',
  'secret-key=\n=3D4711',
  'secret-key=\n=4711',
])('a soft line break in a key is one: %j', (text) => {
  expect(isSign(text)).toBe(true);
});

test.each(['?id=7312', '?return=https%3A%2F%2Fa.example%2F%3Fid%3D7312%26b%3D1', '?id=73&b'])(
  'a number in a link that begins like an escape of the first character is no sign of a key: %j',
  (text) => {
    expect(isSign(text)).toBe(false);
  },
);

test.each(['=73ecret-key', '%3D73ecret-key', '=73%65cret-key', '=73=\r\necret-key'])(
  'an escape of the first character before the second one is: %j',
  (text) => {
    expect(isSign(text)).toBe(true);
  },
);
