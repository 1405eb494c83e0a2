import { expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { placeOfKey } from '../../../lib/key/place-of-key.ts';

const KEY = 'canary-key-4711';
const key = ApiKey.from(KEY);

test('names the place of the key, wherever it is and however it is written', () => {
  const name = fc.constantFrom('itemsKey', 'lists', 'invoices', 'query');
  const written = fc.constantFrom(KEY, `x ${KEY} y`, encodeURIComponent(KEY), btoa(KEY));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), written, (path, text) => {
      const settings = path.reduceRight<unknown>(
        (inner, each) => ({ perPage: 100, none: null, off: false, walk: 'fast', [each]: inner }),
        text,
      );
      expect(placeOfKey(key, Object(settings))).toBe(path.join('.'));
    }),
  );
});

test('shows no name that holds the key', () => {
  expect(placeOfKey(key, { query: { [KEY]: 1 } })).toBe('query');
});

test('finds a short key where it is all of a text', () => {
  const short = ApiKey.from('id4711');

  expect(placeOfKey(short, { idKey: 'id4711' })).toBe('idKey');
  expect(placeOfKey(short, { idKey: 'id4711b' })).toBeUndefined();
});

test('finds nothing where there is no key', () => {
  const settings = { baseUrl: 'https://api.example.com', query: { status: 'all' }, codes: [401] };

  expect(placeOfKey(key, { ...settings, now: Date.now, list: undefined })).toBeUndefined();
});

test.each([KEY, 'id4711'])('takes the text that stands for keys for no key: %s', (text) => {
  expect(placeOfKey(ApiKey.from(text), { idKey: '[redacted]' })).toBeUndefined();
});

test('makes the forms of a key once, however often settings are looked through', () => {
  const long = ApiKey.from('a9_'.repeat(1_365));
  placeOfKey(long, { idKey: 'id' });
  const made = jest.spyOn(Buffer, 'from');

  for (let times = 0; times < 3; times++) placeOfKey(long, { idKey: 'id' });

  expect(made.mock.calls.length).toBeLessThan(20);
  made.mockRestore();
});
