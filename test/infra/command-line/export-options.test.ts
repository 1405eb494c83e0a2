import { expect, test } from '@jest/globals';
import { DOCTOR_OPTIONS } from '../../../infra/command/doctor.ts';
import { TRY } from '../../../infra/command/try.ts';
import type { Option, OptionTable } from '../../../infra/command-line/option-table.ts';
import { readCommandLine } from '../../../infra/command-line/usage.ts';
import { START_OPTIONS, START_USAGE } from '../../../infra/local/start/start-options.ts';

const TABLES: readonly OptionTable[] = [TRY.usage.options, START_OPTIONS, DOCTOR_OPTIONS];
/** What they mean is not the same: `try` has one list, `npm start` has the customers and others. */
const OWN = ['resource', 'json'];
const SHARED = [
  ...['base-url', 'connection', 'header', 'query', 'out', 'requests-per-second', 'compression'],
  ...['per-page', 'first-page', 'items-key', 'id-key', 'meta-keys'],
];

const optionsCalled = (name: string): readonly Option<unknown>[] =>
  TABLES.flatMap((table) => {
    const option = table[name];
    return option === undefined ? [] : [option];
  });

test('the options that several programs have are those that are tested here', () => {
  const names = new Set(TABLES.flatMap((table) => Object.keys(table)));
  const several = [...names].filter((name) => optionsCalled(name).length > 1);
  expect(several.sort()).toEqual([...SHARED, ...OWN].sort());
});

const outcomeOf = ({ read }: Option<unknown>, text: string): unknown => {
  try {
    return read(text, '--option');
  } catch (error) {
    return String(error);
  }
};

test.each(SHARED)('--%s reads every text in the same way, and is called the same', (name) => {
  const [first, ...others] = optionsCalled(name);
  if (first === undefined) throw new Error(`No program has --${name}.`);
  const texts = ['', '0', '1.5', '1e3', '-1', 'data', 'A b', 'zstd', '{"a":1}', '[]', 'null'];
  for (const other of others) {
    expect(other.value).toBe(first.value);
    expect(wordsOf(other, name)).toBe(wordsOf(first, name));
    for (const text of texts) expect(outcomeOf(other, text)).toEqual(outcomeOf(first, text));
  }
});

/** `try` and the doctor need an address, and the connection of `try` is no more than a name of files. */
function wordsOf({ what }: Option<unknown>, name: string): string {
  const [own = ''] = { 'base-url': ['; needed'], connection: [' in the files'] }[name] ?? [];
  return what.replace(own, '');
}

test('the same words on the command lines of try and npm start mean the same', () => {
  const args = [
    ...['--base-url=https://api.example.com', '--connection=acme', '--header=X-Key'],
    ...['--per-page=50', '--first-page=0', '--items-key=data', '--id-key=uuid', '--out=here'],
    ...['--meta-keys={"total":"meta.records"}', '--requests-per-second=0.5', '--compression=zstd'],
  ];
  const tried = readCommandLine(TRY.usage, args);
  expect(readCommandLine(START_USAGE, args)).toEqual(tried);
});
