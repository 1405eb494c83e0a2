import { parseArgs } from 'node:util';
import { SettingError } from '../../lib/errors.ts';
import { argumentProblem } from '../command-line/argument-problem.ts';
import { type Fault, parseFaults } from './faults.ts';
import { isMetaDialect, META_DIALECTS, type MetaDialect } from './meta-dialects.ts';
import { DEMO_KEY, type ListChange, type SimulatorOptions } from './options.ts';
import type { RateLimit } from './rate-limit.ts';

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'run';
      readonly options: SimulatorOptions;
      /** The user's own key is never printed. */
      readonly key: 'demo' | 'own';
      readonly faultsFile?: string;
      readonly logFile?: string;
      readonly truthFile?: string;
      readonly caFile?: string;
      readonly json: boolean;
      readonly verbose: boolean;
    };

/** For people: a limit that an export meets within its first seconds. */
const DEFAULT_RATE_PER_SECOND = 5;
const DEFAULT_BURST = 10;

export const HELP = `npm run simulator -- [options]

Starts the customers API on this machine, over TLS, until Ctrl-C.

  --customers N         customers in the list (2500)
  --seed N              the same seed gives the same customers (1)
  --rate R              requests per second, or per window with --window; none: no limit (${DEFAULT_RATE_PER_SECOND})
  --burst B             requests at once before --rate counts (${DEFAULT_BURST})
  --window S            count --rate requests in fixed windows of S seconds
  --retry-after FORM    form of Retry-After: seconds or date (seconds)
  --latency MS          time before every answer (0)
  --per-page N          records a page when the client does not say (25)
  --max-per-page N      a larger per_page is lowered to this (100)
  --first-page N        number of the first page, 0 or 1 (1)
  --meta DIALECT        shape of the counts beside the records (rails):
                        ${META_DIALECTS.slice(0, 7).join(', ')},
                        ${META_DIALECTS.slice(7).join(', ')}
  --pretty              indented JSON
  --changes E:I:D[:U]   after every E list requests insert I, delete D and update U customers
  --faults FILE         fault script, JSON: [{"when": {"page": 3}, "times": 1, "fault": {"kind": "reset-mid-body"}}]
  --port N              port to listen on (any free one)
  --base-path PATH      path before /2.0, such as /eu/api
  --key-header NAME     header that carries the key (API-KEY)
  --ca FILE             where to write the CA certificate (a temporary file)
  --log FILE            append every request as a line of JSON
  --truth FILE          write every customer as a line of JSON, at the start and at the end
  --json                print one line for programs: {"url", "ca", "pid"}
  --verbose             print every request on stderr
  --help                this text

The key is taken from CUSTOMERS_API_KEY; without it the demo key is ${DEMO_KEY}.
`;

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const OPTIONS = {
  customers: TEXT,
  seed: TEXT,
  rate: TEXT,
  burst: TEXT,
  window: TEXT,
  'retry-after': TEXT,
  latency: TEXT,
  'per-page': TEXT,
  'max-per-page': TEXT,
  'first-page': TEXT,
  meta: TEXT,
  pretty: FLAG,
  changes: TEXT,
  faults: TEXT,
  port: TEXT,
  'base-path': TEXT,
  'key-header': TEXT,
  ca: TEXT,
  log: TEXT,
  truth: TEXT,
  json: FLAG,
  verbose: FLAG,
  help: FLAG,
} as const;

/** Which option sets what {@link SimulatorOptions} calls otherwise. */
const OPTION_OF_SETTING: Readonly<Record<string, string>> = {
  perPage: 'per-page',
  maxPerPage: 'max-per-page',
  firstPage: 'first-page',
  latencyMs: 'latency',
  basePath: 'base-path',
  keyHeader: 'key-header',
  'limit.ratePerSecond': 'rate',
  'limit.requests': 'rate',
  'limit.burst': 'burst',
  'limit.windowSeconds': 'window',
  'change.everyRequests': 'changes',
  'change.inserts': 'changes',
  'change.deletes': 'changes',
  'change.updates': 'changes',
};

/** The option of the command line that a setting of the simulator was given by. */
export function optionOfSetting(setting: string): string {
  if (setting.startsWith('faults[')) return `--faults: ${setting}`;
  const option = OPTION_OF_SETTING[setting] ?? setting;
  return option in OPTIONS ? `--${option}` : option;
}

/**
 * Reads the command line; `ownKey` is the value of `CUSTOMERS_API_KEY`.
 *
 * @throws SettingError naming the option.
 */
export function parseCommand(args: readonly string[], ownKey: string | undefined): Command {
  const values = valuesOf(args);
  if (values.help === true) return { kind: 'help' };
  const own = ownKey !== undefined && ownKey !== '';
  return {
    kind: 'run',
    key: own ? 'own' : 'demo',
    json: values.json === true,
    verbose: values.verbose === true,
    ...defined('faultsFile', values.faults),
    ...defined('logFile', values.log),
    ...defined('truthFile', values.truth),
    ...defined('caFile', values.ca),
    options: {
      organizations: [{ key: own ? ownKey : DEMO_KEY }],
      limit: limitOf(values.rate, values.burst, values.window),
      pretty: values.pretty === true,
      ...defined('customers', numberOf('customers', values.customers)),
      ...defined('seed', numberOf('seed', values.seed)),
      ...defined('latencyMs', numberOf('latency', values.latency)),
      ...defined('perPage', numberOf('per-page', values['per-page'])),
      ...defined('maxPerPage', numberOf('max-per-page', values['max-per-page'])),
      ...defined('port', numberOf('port', values.port)),
      ...defined('basePath', values['base-path']),
      ...defined('keyHeader', values['key-header']),
      ...defined('firstPage', firstPageOf(values['first-page'])),
      ...defined('meta', metaOf(values.meta)),
      ...defined('retryAfter', retryAfterOf(values['retry-after'])),
      ...defined('change', changeOf(values.changes)),
    },
  };
}

/**
 * Reads the text of a fault script's file.
 *
 * @throws SettingError naming the place in the script.
 */
export function parseFaultsFile(text: string): readonly Fault[] {
  let script: unknown;
  try {
    script = JSON.parse(text);
  } catch {
    throw new SettingError('faults', 'expected a file with JSON.');
  }
  return parseFaults(script);
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw new SettingError('Command line', argumentProblem(error));
  }
}

function limitOf(rate?: string, burst?: string, window?: string): RateLimit {
  if (rate === 'none') {
    const other = burst === undefined ? 'window' : 'burst';
    if ((burst ?? window) === undefined) return { kind: 'none' };
    throw new SettingError(other, 'has no meaning with --rate none.');
  }
  const perUnit = numberOf('rate', rate) ?? DEFAULT_RATE_PER_SECOND;
  const windowSeconds = numberOf('window', window);
  if (windowSeconds === undefined) {
    const size = numberOf('burst', burst) ?? DEFAULT_BURST;
    return { kind: 'token-bucket', ratePerSecond: perUnit, burst: size };
  }
  if (burst !== undefined) throw new SettingError('burst', 'has no meaning with --window.');
  return { kind: 'fixed-window', requests: perUnit, windowSeconds };
}

function firstPageOf(text: string | undefined): 0 | 1 | undefined {
  if (text === undefined) return undefined;
  if (text === '0') return 0;
  if (text === '1') return 1;
  throw new SettingError('first-page', `expected 0 or 1, got ${text}.`);
}

function metaOf(text: string | undefined): MetaDialect | undefined {
  if (text === undefined || isMetaDialect(text)) return text;
  throw new SettingError('meta', `expected one of ${META_DIALECTS.join(', ')}, got ${text}.`);
}

function retryAfterOf(text: string | undefined): 'seconds' | 'date' | undefined {
  if (text === undefined || text === 'seconds' || text === 'date') return text;
  throw new SettingError('retry-after', `expected seconds or date, got ${text}.`);
}

function changeOf(text: string | undefined): ListChange | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d+):(\d+):(\d+)(?::(\d+))?$/.exec(text);
  if (match === null) {
    throw new SettingError(
      'changes',
      `expected EVERY:INSERTS:DELETES or EVERY:INSERTS:DELETES:UPDATES such as 10:1:1, got ${text}.`,
    );
  }
  const [everyRequests = 0, inserts = 0, deletes = 0, updates = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  return { everyRequests, inserts, deletes, updates };
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  throw new SettingError(option, `expected a number, got ${text === '' ? 'nothing' : text}.`);
}

/** `{name: value}`, or nothing for an option that was not given. */
function defined<Name extends string, Value>(name: Name, value: Value | undefined) {
  const member: { [key in Name]?: Value } = {};
  if (value !== undefined) member[name] = value;
  return member;
}
