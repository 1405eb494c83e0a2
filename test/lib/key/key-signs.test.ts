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
