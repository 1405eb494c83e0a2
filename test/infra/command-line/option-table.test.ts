import { expect, test } from '@jest/globals';
import {
  flag,
  namedByOption,
  number,
  oneOf,
  option,
  text,
} from '../../../infra/command-line/option-table.ts';
import { SettingError } from '../../../lib/errors.ts';
import { optionRows } from '../../docs/option-rows.ts';

const CHOICES = ['alpha', 'beta', 'gamma'] as const;
const TABLE = {
  port: option('N', 'where it listens', number([0, 10]), 7),
  'max-size': option('N', 'the size', number()),
  name: option('NAME', 'what it is called', text),
  letter: { ...option('L', 'one of these', oneOf(CHOICES), 'beta'), choices: CHOICES },
  json: flag('JSON | text'),
} as const;

test('the docs have a row for each option', () => {
  expect(optionRows(TABLE)).toBe(`| Option | Meaning | Default |
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
])('what is wrong with the setting %s is shown as %s', (setting, shown) => {
  const error = new SettingError(setting, 'wrong');
  expect(namedByOption(TABLE, error, { titles: 'name' }).message).toBe(shown);
});
