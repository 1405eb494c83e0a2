import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isDeep } from '../deep/depth.ts';
import { REFERENCE_PAGES, referencePages } from './reference.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/reference');
const pageText = (page: string) => readFileSync(join(FOLDER, page), 'utf8');

test.each(REFERENCE_PAGES)('$page has what $entry exports, and nothing else', ({ page, entry }) => {
  const source = readFileSync(join(ROOT, entry), 'utf8');
  // Without those of other packages, which have a reference of their own.
  const lists = [...source.matchAll(/export (?:type )?\{([^}]*)\} from '\./g)].map(
    ([, names = '']) => names,
  );
  const exported = lists
    .flatMap((names) => names.split(','))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/^.* as /, ''),
    )
    .filter((name) => name !== '');
  const shown = [...pageText(page).matchAll(/^### (?:`abstract` )?([\w\\]+)(?:\(\))?(?:<.*>)?$/gm)];

  expect(shown.map(([, name = '']) => name.replaceAll('\\', '')).toSorted()).toEqual(
    exported.toSorted(),
  );
});

test('no other page lies in the folder of the reference', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(
    REFERENCE_PAGES.map(({ page }) => page).toSorted(),
  );
});

// It installs TypeDoc and reads all sources.
(isDeep ? test : test.skip)(
  'the pages are what the docstrings say',
  () => {
    for (const [page, text] of referencePages())
      expect({ page, text }).toEqual({ page, text: pageText(page) });
  },
  300_000,
);
