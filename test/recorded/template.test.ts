import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { cdkApp } from './product.ts';
import { expectRecorded } from './recording.ts';
import { synthesize, templateIn } from './synthesize.ts';

const folder = mkdtempSync(join(tmpdir(), 'recorded-template-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The code of a function is an asset that is named after its bytes. */
const ASSET = /[0-9a-f]{64}(?=\.zip)/g;

test('the template of the example settings is the recorded one but for the names of assets', async () => {
  await synthesize(cdkApp().context, folder);

  const { name, text } = templateIn(folder);
  expect(name).toBe('CustomersFunctions.template.json');
  expectRecorded('template', JSON.parse(text.replace(ASSET, '<asset>')));
}, 180_000);
