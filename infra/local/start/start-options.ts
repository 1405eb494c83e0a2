import { parseArgs } from 'node:util';
import { defined } from '../../../lib/defined.ts';
import { SettingError } from '../../../lib/errors.ts';
import { argumentProblem } from '../../command-line/argument-problem.ts';

const DEFAULT_CONNECTION = 'demo';
const DEFAULT_OUT = './exports';

export const HELP = `npm start -- [options]

Runs one export to the end on this machine: the stack is synthesized, its template is read, its queues,
tables, buckets and functions run here. Without --base-url it exports a simulated API.

  --base-url URL              the API, without /2.0/ (a simulated one)
  --connection NAME           name of the connection (${DEFAULT_CONNECTION})
  --per-page N                records a page (100)
  --first-page N              number of the first page, 0 or 1 (1)
  --items-key NAME            member that holds the records (found by rule)
  --id-key NAME               member that identifies a record (id)
  --requests-per-second R     never ask more often (the API's throttling decides)
  --out DIR                   where the files go (${DEFAULT_OUT})
  --json                      print the result as one JSON object
  --serve                     after the export keep the HTTP API up and schedules running, until Ctrl-C
  --port N                    with --serve: where the HTTP API is (any free port)
  --schedule EXPRESSION       with --serve: export again at rate(…) or cron(…), in UTC
  --operations FILE           with --serve: what may be written, JSON as in the setting operations
  --help                      this text

The key of the API is taken from CUSTOMERS_API_KEY, or asked for without showing it. A private certificate
authority is named in NODE_EXTRA_CA_CERTS.

Exit code: 0 completed, 1 failed or halted, 2 wrong usage, 130 interrupted.
`;

export interface StartOptions {
  /** `undefined`: a simulated API. */
  readonly baseUrl: string | undefined;
  readonly connection: string;
  /** Settings of the connection as the stack's context takes them. */
  readonly settings: Readonly<Record<string, string | number>>;
  readonly out: string;
  readonly json: boolean;
  /** `undefined`: everything ends with the export. */
  readonly serve: ServeOptions | undefined;
}

interface ServeOptions {
  readonly port: number;
  /** What may be written. @default - nothing, or what the simulated API can do */
  readonly operationsFile?: string;
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const OPTIONS = {
  'base-url': TEXT,
  connection: TEXT,
  'per-page': TEXT,
  'first-page': TEXT,
  'items-key': TEXT,
  'id-key': TEXT,
  'requests-per-second': TEXT,
  out: TEXT,
  json: FLAG,
  serve: FLAG,
  port: TEXT,
  schedule: TEXT,
  operations: TEXT,
  help: FLAG,
} as const;

type OptionName = keyof typeof OPTIONS;

/** Options whose value is a setting of the connection, which the stack checks. */
const SETTING_OF_OPTION = {
  'per-page': 'perPage',
  'first-page': 'firstPage',
  'items-key': 'itemsKey',
  'id-key': 'idKey',
  'requests-per-second': 'requestsPerSecond',
  schedule: 'schedule',
} as const satisfies { readonly [Name in OptionName]?: string };

const NUMBERS: readonly string[] = ['per-page', 'first-page', 'requests-per-second'];

/**
 * Reads the command line.
 *
 * @throws SettingError naming the option.
 */
export function parseStartOptions(args: readonly string[]): StartOptions | 'help' {
  const values = valuesOf(args);
  if (values['help'] === true) return 'help';
  const settings = Object.entries(SETTING_OF_OPTION).flatMap(([option, setting]) => {
    const text = values[option];
    return typeof text === 'string' ? [[setting, settingValue(option, text)] as const] : [];
  });
  return {
    baseUrl: textOf(values, 'base-url'),
    connection: textOf(values, 'connection') ?? DEFAULT_CONNECTION,
    settings: Object.fromEntries(settings),
    out: textOf(values, 'out') ?? DEFAULT_OUT,
    json: values['json'] === true,
    serve: serveOf(values),
  };
}

/** The option by which a setting of the stack was given, for messages. */
export function optionOfSetting(setting: string): string {
  const [, last = setting] = /([^.]+)$/.exec(setting) ?? [];
  if (last === 'baseUrl') return '--base-url';
  if (last === 'httpPort') return '--port';
  if (/\.operations\b/.test(setting)) return '--operations';
  const option = Object.entries(SETTING_OF_OPTION).find(([, name]) => name === last)?.[0];
  if (option !== undefined) return `--${option}`;
  return setting.includes('.connections.') ? '--connection' : setting;
}

/** Options that only make sense while something is served. */
const SERVED = ['port', 'schedule', 'operations'] as const;
const MAX_PORT = 65_535;

function serveOf(values: Values): StartOptions['serve'] {
  const operationsFile = textOf(values, 'operations');
  if (values['serve'] === true) {
    const port = portOf(textOf(values, 'port'));
    return { port, ...defined({ operationsFile }) };
  }
  const lonely = SERVED.find((option) => values[option] !== undefined);
  if (lonely === undefined) return undefined;
  throw new SettingError(`--${lonely}`, 'expected --serve beside it: without, nothing stays up');
}

function portOf(text = '0'): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : MAX_PORT + 1;
  if (port <= MAX_PORT) return port;
  throw new SettingError('--port', `expected a whole number from 0 to ${MAX_PORT}, got ${text}`);
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

function valuesOf(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw new SettingError('Command line', argumentProblem(error));
  }
}

function textOf(values: Values, option: OptionName): string | undefined {
  const text = values[option];
  if (text === '') throw new SettingError(`--${option}`, 'expected a value, got nothing');
  return typeof text === 'string' ? text : undefined;
}

function settingValue(option: string, text: string): string | number {
  if (!NUMBERS.includes(option)) return text;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new SettingError(`--${option}`, `expected a number, got ${text === '' ? 'nothing' : text}`);
}
