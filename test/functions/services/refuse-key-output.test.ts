import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { refuseKeyOutput } from '../../../functions/services/refuse-key-output.ts';

const SERVICES = join(import.meta.dirname, '../../../functions/services/services.ts');
/** Starts what every function makes when its file is loaded, and prints what it says. */
const START = `
import { createServices } from ${JSON.stringify(SERVICES)};
try { createServices(() => ({})); console.log('started'); }
catch (error) { console.log(error.name + ': ' + error.message); }
`;

const CONNECTION_TABLE = JSON.stringify({
  defaults: { baseUrl: 'https://api.example.com' },
  connections: {},
});

/** What a real process says on its standard output. */
function startWith(variables: Readonly<Record<string, string>>, options: readonly string[] = []) {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    AWS_REGION: 'eu-central-1',
    LEDGER_TABLE: 'table',
    SECRET_PREFIX: 'customers-api/',
    CONNECTIONS: CONNECTION_TABLE,
    ...variables,
  };
  const args = [...options, '--no-warnings', '--input-type=module', '--eval', START];
  return execFileSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** One line, which names the place. */
const said = (name: string) => new RegExp(`^(SettingError: )?${name}: .* Remove it[^\\n]*$`);

test.each([
  ['NODE_DEBUG', { NODE_DEBUG: 'timer,STREAM' }, []],
  ['AWS_ENDPOINT_URL', { AWS_ENDPOINT_URL: 'http://10.0.0.7:4566' }, []],
  ['the command line', {}, ['--heapsnapshot-near-heap-limit=1']],
])('a process that holds keys does not start with %s %j %j', (name, variables, options) => {
  expect(startWith(variables, options)).toMatch(said(name));
});

test.each([
  ['NODE_DEBUG', { NODE_DEBUG: 'https' }, []],
  ['NODE_DEBUG', { NODE_DEBUG: '*' }, []],
  ['NODE_TLS_REJECT_UNAUTHORIZED', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, []],
  ['the command line', {}, ['--report-on-signal']],
])('refuses what shows keys in %s: %j %j', (name, variables, options) => {
  expect(() => refuseKeyOutput(variables, options)).toThrow(said(name));
});

test('a process starts with options that show no key', () => {
  expect(startWith({ NODE_DEBUG: 'timer,myapp', NODE_OPTIONS: '--max-semi-space-size=8' })).toBe(
    'started',
  );
});

test.each([
  '--tls-keylog=/tmp/keys',
  '--enable-source-maps --report-uncaught-exception',
  '--heapsnapshot-near-heap-limit 2',
  '--tls_keylog=/tmp/keys',
  '"--heapsnapshot_signal=SIGUSR2"',
  '--report-uncaught_exception',
  '--tls"-keylog"=/tmp/keys',
])('refuses the option whatever stands beside it: %s', (options) => {
  expect(() => refuseKeyOutput({ NODE_OPTIONS: options }, [])).toThrow('NODE_OPTIONS: --');
});

test('does not mistake another option for one that it refuses', () => {
  expect(() =>
    refuseKeyOutput({ NODE_OPTIONS: '--no-report-on-signal' }, ['--inspect']),
  ).not.toThrow();
});
