import { expect, test } from '@jest/globals';
import { namedByOption } from '../../../infra/command-line/option-table.ts';
import { SettingError } from '../../../lib/errors.ts';
import { optionRows } from '../../docs/option-rows.ts';
import { SAMPLE_OPTIONS } from './sample-options.ts';

test('the docs have a row for each option', () => {
  expect(optionRows(SAMPLE_OPTIONS)).toBe(`| Option | Meaning | Default |
|---|---|---|
| \`--port N\` | Where it listens | 7 |
| \`--max-size N\` | The size | |
| \`--name NAME\` | What it is called | |
| \`--letter L\` | One of these: \`alpha\`, \`beta\`, \`gamma\` | beta |
| \`--json\` | JSON \\| text | |
`);
});

test.each([
  ['port', '--port: wrong'],
  ['stack.connections.demo.maxSize', '--max-size: wrong'],
  ['stack.titles[0].text', '--name: wrong'],
  ['--port', '--port: wrong'],
  ['KEY', 'KEY: wrong'],
  ['--name[12].some-part.per_page', '--name[12].some-part.per_page: wrong'],
  ['--name.canary-key-4711.x', '--name.(a name of 15 characters).x: wrong'],
])('what is wrong with the setting %s is shown as %s', (setting, shown) => {
  const error = new SettingError(setting, 'wrong');
  expect(namedByOption(SAMPLE_OPTIONS, error, { titles: 'name' }).message).toBe(shown);
});
