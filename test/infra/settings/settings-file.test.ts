import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { CONTEXT_KEY, customersSettingsOf } from '../../../infra/settings/customers-settings.ts';
import { inFile, takeSettingsFile } from '../../../infra/settings/settings-file.ts';
import { SettingError } from '../../../lib/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'settings-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const settings = { baseUrl: 'https://api.example.com', connections: { demo: {} } };

function fileWith(text: string): string {
  const file = join(folder, 'mine.settings.json');
  writeFileSync(file, text);
  return file;
}

test('takes the settings from the file that the context names', () => {
  const file = fileWith(JSON.stringify(settings));
  const app = new App({ context: { settings: file } });

  expect(takeSettingsFile(app)).toBe(file);
  expect(app.node.tryGetContext(CONTEXT_KEY)).toEqual(settings);
});

test('leaves settings of the context alone, and reads no file then', () => {
  const context = { [CONTEXT_KEY]: settings, settings: join(folder, 'none.json') };
  const app = new App({ context });

  expect(takeSettingsFile(app)).toBeUndefined();
  expect(app.node.tryGetContext(CONTEXT_KEY)).toEqual(settings);
});

test.each([
  [
    '',
    /: it is empty\. Expected a JSON object such as in docs\/examples\/customers\.settings\.json$/,
  ],
  ['[]', /: it holds another JSON value than an object\. Expected a JSON object/],
  ['{"baseUrl":', /: it is not JSON: it ends too early, at line 1, column 12\. Expected/],
  ['{"connections":{},"connections":{}}', /: connections is there more than once/],
  [
    '{"connections":{"a":{"lists":[{},{"x":1,"x":1}]}}}',
    /: connections\.a\.lists\[1\]\.x is there/,
  ],
])('names the file that holds %j', (text, message) => {
  const app = new App({ context: { settings: fileWith(text) } });

  expect(() => takeSettingsFile(app)).toThrow(message);
});

test('says how to make the file where there is none, and the command makes it', () => {
  const file = join(folder, 'customers.settings.json');
  const app = new App({ context: { settings: file } });
  const command = 'cp docs/examples/customers.settings.json';

  expect(() => takeSettingsFile(app)).toThrow(`${file}: there is no such file.`);
  expect(() => takeSettingsFile(app)).toThrow(`${command} ${file}, and set baseUrl in it`);
  const example = join(import.meta.dirname, '../../../docs/examples/customers.settings.json');
  expect(() => customersSettingsOf(JSON.parse(readFileSync(example, 'utf8')))).not.toThrow();
});

test.each([
  ['customers-functions.connections.demo.perPage', 'a.json, connections.demo.perPage: wrong'],
  ['customers-functions', 'a.json: wrong'],
  ['other', 'other: wrong'],
])('a problem of %s is told by the file', (setting, told) => {
  const error = new SettingError(setting, 'wrong');

  expect(inFile(error, 'a.json')).toBe(told);
  expect(inFile(error, undefined)).toBe(`${setting}: wrong`);
});
