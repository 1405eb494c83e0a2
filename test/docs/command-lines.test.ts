import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SIMULATE } from '../../infra/command/simulate.ts';
import { parseStartOptions } from '../../infra/local/start/start-options.ts';
import { argumentsOf, shellBlocks } from './documented-lines.ts';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const manifest: unknown = JSON.parse(textOf('package.json'));
const namesIn = (member: string) => Object.keys(Object(Object(manifest)[member]));
/** What `npm pack` makes. */
const PACKED = `customers-functions-${Object(manifest).version}.tgz`;

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(ROOT, 'examples')).map((name) => `examples/${name}/README.md`),
];
const BLOCKS = PAGES.flatMap(shellBlocks);

/** Who runs a line that needs no account: the file of a test, and a word in it that says so. */
interface Runner {
  readonly lines: RegExp;
  readonly page?: RegExp;
  readonly file: string;
  readonly by: string;
}

const RUNNERS: readonly Runner[] = [
  // Read from the pages and run, line by line.
  {
    lines: /^npx customers-functions .*finance\/invoices/,
    file: 'test/docs/another-resource.test.ts',
    by: 'another-resource.md',
  },
  {
    lines: /^npx customers-functions /,
    page: /command\.md|README\.md|doctor\.md|another-resource\.md/,
    file: 'test/infra/local/command-lines.test.ts',
    by: "'docs/command.md', 'README.md', 'docs/doctor.md', 'docs/another-resource.md'",
  },
  {
    lines: /^(call|jq|gzip|U=|export AWS_)/,
    page: /http-api\.md|changes\.md|writes\.md/,
    file: 'test/infra/local/http/serve.test.ts',
    by: "'docs/http-api.md', 'docs/changes.md', 'docs/writes.md'",
  },
  // Run as processes, with options of their own; those of the pages are read below.
  {
    lines: /^npm start( -- --(serve|base-url|lists).*)?$/,
    file: 'test/infra/local/start/main.test.ts',
    by: '--base-url',
  },
  {
    lines: /^npm start -- --changes$/,
    file: 'test/infra/local/start/main.test.ts',
    by: '--changes',
  },
  {
    lines: /^npm run simulator -- /,
    file: 'test/infra/simulator/main.test.ts',
    by: 'infra/command/main.ts',
  },
  {
    lines: /^npx customers-functions schema /,
    file: 'test/infra/command/schema.test.ts',
    by: "['schemas.md', 'athena.md']",
  },
  // A test is a part of what they run: here their names and paths alone are checked.
  {
    lines: /^npm (ci|test|run (jest|test:deep|bench) -- .*|run test:deep)$/,
    page: /CONTRIBUTING\.md|README\.md/,
    file: 'test/docs/command-lines.test.ts',
    by: 'every npm line names what there is',
  },
  {
    lines: /^npm (pack|install.*|test)$/,
    file: 'test/consumers/packed-package.test.ts',
    by: 'examples',
  },
];

const OPEN = BLOCKS.filter(({ needsAws }) => !needsAws).flatMap(({ page, lines }) =>
  lines.map((line) => ({ page, line })),
);
const CLOSED = BLOCKS.filter(({ needsAws }) => needsAws).flatMap(({ lines }) => lines);

test('every command line of a page is run by a test, or marked as needing AWS', () => {
  const runnerOf = ({ page, line }: { page: string; line: string }) =>
    RUNNERS.find((runner) => runner.lines.test(line) && (runner.page?.test(page) ?? true));
  const used = OPEN.map(runnerOf);

  expect(OPEN.filter((each) => runnerOf(each) === undefined)).toEqual([]);
  expect(RUNNERS.filter((runner) => !used.includes(runner))).toEqual([]);
  expect(OPEN.length).toBeGreaterThan(60);
});

test.each(RUNNERS)('$file runs $lines', ({ file, by }) => {
  expect(textOf(file).includes(by)).toBe(true);
});

test('no command line of a page takes a key: a shell keeps what was typed', () => {
  const lines = [...OPEN.map(({ line }) => line), ...CLOSED];

  expect(lines.filter((line) => /\b(CUSTOMERS_API_)?KEY=(?!\$)[^\s&;|]/.test(line))).toEqual([]);
});

test('no page installs the package by its name: what npm has under it may be of others', () => {
  const named = /npm (?:install|i|add) (?:--?\S+ )*customers-functions(?!-\d)/;
  expect(PAGES.filter((page) => named.test(textOf(page)))).toEqual([]);
});

const NPM = OPEN.filter(({ line }) => line.startsWith('npm ')).map(({ line }) => line);
const OWN_PACKAGES = [
  PACKED,
  ...['dependencies', 'devDependencies', 'peerDependencies'].flatMap(namesIn),
];

/** What reads the arguments of a script. */
const READERS: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  start: parseStartOptions,
  simulator: SIMULATE.read,
};

test.each([...new Set(NPM)])('every npm line names what there is: %s', (line) => {
  const [command = '', ...args] = argumentsOf(line.slice('npm '.length));
  if (command === 'install') {
    const named = args.filter((each) => !each.startsWith('--'));
    const isOwn = (name: string) => OWN_PACKAGES.includes(name.replace(/^\.[./]*\//, ''));
    expect(named.filter((name) => !isOwn(name))).toEqual([]);
    return;
  }
  if (command === 'ci' || command === 'pack') return;
  const [script = '', ...rest] =
    command === 'run' ? args.filter((each) => each !== '-s') : [command, ...args];
  const own = rest.slice(rest.indexOf('--') + 1);
  expect(namesIn('scripts')).toContain(script);
  // What follows is another command of the shell.
  const given = own.slice(0, own.includes('>') ? own.indexOf('>') : own.length);
  READERS[script]?.(given);
  const paths = given.filter((each) => each.startsWith('test/'));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

/** Which the first block of deploying.md sets for all pages. */
const SET_FOR_ALL = shellBlocks('docs/deploying.md')[0]?.lines.join('\n') ?? '';

/** Variables and functions that command lines of a page use, those in comments too, and nothing on it sets or tells of. */
function unsetNames(page: string): readonly string[] {
  const text = textOf(page);
  const blocks = [...text.matchAll(/^ *```sh\b[^\n]*\n(.*?)^ *```/gms)].map(
    ([, block = '']) => block,
  );
  const lines = blocks.join('').replaceAll(/'[^'\n]*'/g, "''");
  const variables = [...lines.matchAll(/\$\{?([A-Za-z]\w*)/g)].map(([, name = '']) => ({
    name,
    setting: new RegExp(`\\b${name}=|(for|local|read .*) ${name}\\b|\`${name}\``),
  }));
  const functions = [...lines.matchAll(/\$\(([a-z]+) /g)].map(([, name = '']) => ({
    name,
    setting: new RegExp(`^${name}\\(\\) `, 'm'),
  }));
  return [...variables, ...functions]
    .filter(({ name, setting }) => !(PROGRAMS.has(name) || setting.test(`${SET_FOR_ALL}\n${text}`)))
    .map(({ name }) => name);
}
const PROGRAMS = new Set(['aws', 'date']);

test.each(PAGES)('the command lines of %s use no variable that nothing sets', (page) => {
  expect(unsetNames(page)).toEqual([]);
});

/** What begins a line for an account: a program or word of the shell, a function, or a value that is kept. */
const BEGINNING =
  /^((aws|call|eval|export|for|git|lines|npm|npx|printf|read|sleep) |[A-Za-z]+(=|\(\) \{ ))/;

test('a line that needs AWS begins with a command that there is', () => {
  expect(CLOSED.filter((line) => !BEGINNING.test(line))).toEqual([]);
  expect(CLOSED.length).toBeGreaterThan(60);
});

/** Clients of AWS that are here: their commands and members are those of the AWS CLI, in other letters. */
const CLIENTS: Readonly<Record<string, string>> = {
  cloudformation: 'cloudformation',
  dynamodb: 'dynamodb',
  events: 'eventbridge',
  s3api: 's3',
  secretsmanager: 'secrets-manager',
  sqs: 'sqs',
};
/** Of the AWS CLI itself (user guide, "Command line options"; pagination). */
const GLOBAL = new Set([
  'output',
  'query',
  'cli-input-json',
  'max-items',
  'cli-binary-format',
  'region',
  'endpoint-url',
]);
/** Commands without a client here, and the options of the AWS CLI reference that are used. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'athena start-query-execution': [
    'query-string',
    'query-execution-context',
    'result-configuration',
  ],
  'athena get-query-results': ['query-execution-id'],
  'cloudwatch get-metric-statistics': [
    'namespace',
    'metric-name',
    'statistics',
    'period',
    'start-time',
    'end-time',
  ],
  'configure export-credentials': ['format'],
  'configure get': [],
  'dynamodb wait': ['table-name'],
  'lambda get-account-settings': [],
  'lambda invoke': ['function-name', 'payload'],
  'lambda list-event-source-mappings': ['function-name'],
  'logs delete-log-group': ['log-group-name'],
  'logs filter-log-events': ['log-group-name', 'start-time', 'filter-pattern'],
  'logs tail': ['follow', 'format', 'since'],
  's3 cp': [],
  's3 sync': [],
};

const AWS = CLOSED.flatMap((line) => [
  ...line.matchAll(/\baws ((?:--\S+ \S+ )*)([a-z0-9]+) ([a-z-]+)([^|;&]*)/g),
]);

const pascalCase = (name: string) =>
  name.replace(/(^|-)(.)/g, (_, __, letter: string) => letter.toUpperCase());

test('every line for the AWS CLI has commands and options that it knows', () => {
  const wrong = AWS.flatMap(([whole, , service = '', command = '', rest = '']) => {
    const options = [...rest.replace(/'[^']*'|"[^"]*"/g, '').matchAll(/ --([a-z-]+)/g)].map(
      ([, name = '']) => name,
    );
    const isKnown = knownBy(service, command);
    return isKnown === undefined
      ? [whole]
      : options
          .filter((name) => !GLOBAL.has(name) && !isKnown(name))
          .map((name) => `${name} of ${whole}`);
  });
  expect(wrong).toEqual([]);
  expect(AWS.length).toBeGreaterThan(50);
});

/** Says whether a command takes an option; `undefined` for a command that is not there. */
function knownBy(service: string, command: string): ((option: string) => boolean) | undefined {
  const others = OTHERS[`${service} ${command}`];
  if (others !== undefined) return (name) => others.includes(name);
  const client = CLIENTS[service];
  if (client === undefined) return undefined;
  const folder = join(ROOT, 'node_modules/@aws-sdk', `client-${client}`, 'dist-types');
  const file = join(folder, 'commands', `${pascalCase(command)}Command.d.ts`);
  if (!existsSync(file)) return undefined;
  // Its example names every member.
  const text = readFileSync(file, 'utf8');
  return (name) => {
    const member = pascalCase(name.replace(/^no-/, ''));
    return text.includes(` ${member}: `) || LETTERS.get(member) === true || isIn(folder, member);
  };
}

/** Names whose letters are other than the rule says. */
const LETTERS = new Map([['Bucket', true]]);

function isIn(folder: string, member: string): boolean {
  return readFileSync(join(folder, 'models/models_0.d.ts'), 'utf8').includes(` ${member}?: `);
}

test('every line for the CDK has options that it knows', () => {
  const cdk = CLOSED.filter((line) => line.includes('npx cdk '));
  const known = textOf('node_modules/aws-cdk/lib/index.js');
  const options = cdk.flatMap((line) =>
    [...line.replace(/output\(\).*/, '').matchAll(/ --([a-z-]+)/g)].map(([, name = '']) => name),
  );
  expect(cdk.length).toBeGreaterThan(4);
  expect(options.filter((name) => !known.includes(`"${name}"`))).toEqual([]);
});
