import { expect, test } from '@jest/globals';
import { fileOf } from '../../../../infra/local/start/copy-results.ts';

test('the folder takes the place of the prefix in the bucket', () => {
  expect(fileOf('/out', 'exports/connection=a/latest.json')).toBe('/out/connection=a/latest.json');
  expect(fileOf('/out/', 'exports/connection=a/latest.json')).toBe('/out/connection=a/latest.json');
});

test('a relative folder is one of the working directory', () => {
  expect(fileOf('exports', 'exports/x')).toBe(`${process.cwd()}/exports/x`);
});

test.each(['exports/../x', 'exports/a/../../x', 'exports/', 'exports/..'])(
  'an object %s that would leave the folder is refused',
  (key) => {
    expect(() => fileOf('/out', key)).toThrow(/^--out: the object .* would leave the folder$/);
  },
);
