import { defined } from '../../../lib/defined.ts';
import { SettingError } from '../../../lib/errors.ts';
import { CONNECTION_NAME } from '../../../lib/names.ts';
import {
  baseUrlOption,
  DEFAULT_OUT,
  EXPORT_OPTIONS,
  exportSettingsIn,
  HEADER_OPTION,
  KEY_NOTES,
  KEY_SOURCE,
  PAGE_OPTIONS,
  pageSettingsIn,
} from '../../command-line/export-options.ts';
import {
  flag,
  nameBy,
  number,
  objectOption,
  option,
  text,
} from '../../command-line/option-table.ts';
import { readCommandLine, type Usage } from '../../command-line/usage.ts';

const DEFAULT_CONNECTION = 'demo';

export const START_OPTIONS = {
  'base-url': baseUrlOption('a simulated one'),
  connection: option('NAME', 'name of the connection', nameBy(CONNECTION_NAME), DEFAULT_CONNECTION),
  resource: option('PATH', 'resource of the customers under /2.0/', text, 'customers'),
  header: HEADER_OPTION,
  ...PAGE_OPTIONS,
  lists: objectOption(
    'more lists, as in the setting lists',
    '{"invoices": {"perPage": 200}}',
    'customers alone',
  ),
  ...EXPORT_OPTIONS,
  changes: flag('export twice and show what changed; a simulated list changes meanwhile'),
  json: flag('print the result as one JSON object'),
  serve: flag('after the export keep the HTTP API up and schedules running, until Ctrl-C'),
  port: option('N', 'with --serve: where the HTTP API is', number([0, 65_535]), 'any free port'),
  schedule: option('EXPRESSION', 'with --serve: export again at rate(…) or cron(…), in UTC', text),
  operations: {
    ...option('FILE', 'with --serve: what may be written, JSON as in the setting operations', text),
    hasPlaces: true,
  },
} as const;

/** The options of settings that have another name. */
export const OPTIONS_OF_SETTINGS = {
  connections: 'connection',
  httpPort: 'port',
  operationsFile: 'operations',
};

export const START_USAGE: Usage<typeof START_OPTIONS> = {
  name: 'npm start --',
  what: `Runs one export to the end on this machine: the stack is synthesized, its template is read, its queues, \
tables, buckets and functions run here. Without --base-url it exports a simulated API. Several lists are \
exported in turns, as they share one key and its limit. With --changes each is exported a second time, and \
what was added, changed and removed in between is shown.`,
  options: START_OPTIONS,
  keySource: KEY_SOURCE,
  notes: `${KEY_NOTES}

Exit code: 0 completed, 1 any list failed or halted, or could not be compared, 2 wrong usage, 130 interrupted.`,
};

export interface StartOptions {
  /** `undefined`: a simulated API. */
  readonly baseUrl: string | undefined;
  readonly connection: string;
  /** Settings of the connection as the stack's context takes them. */
  readonly settings: Readonly<Record<string, string | number | object>>;
  readonly out: string;
  /** Whether each list is exported twice and compared. */
  readonly changes: boolean;
  readonly json: boolean;
  /** `undefined`: everything ends with the export. */
  readonly serve: ServeOptions | undefined;
}

interface ServeOptions {
  readonly port: number;
  /** What may be written. @default - nothing, or what the simulated API can do */
  readonly operationsFile?: string;
}

/** Options that only make sense while something is served. */
const SERVED = ['port', 'schedule', 'operations'] as const;

/** Reads the command line. @throws SettingError naming the option. */
export function parseStartOptions(args: readonly string[]): StartOptions | 'help' {
  const read = readCommandLine(START_USAGE, args);
  if (read === 'help') return 'help';
  const given = read.options;
  const lonely = SERVED.find((name) => given[name] !== undefined);
  if (given.serve === undefined && lonely !== undefined) {
    throw new SettingError(`--${lonely}`, 'expected --serve beside it: without, nothing stays up');
  }
  return {
    baseUrl: given['base-url'],
    connection: given.connection ?? DEFAULT_CONNECTION,
    settings: defined({
      resource: given.resource,
      header: given.header,
      ...pageSettingsIn(given),
      lists: given.lists,
      ...exportSettingsIn(given),
      schedule: given.schedule,
    }),
    out: given.out ?? DEFAULT_OUT,
    changes: given.changes ?? false,
    json: given.json ?? false,
    serve: given.serve && {
      port: given.port ?? 0,
      ...defined({ operationsFile: given.operations }),
    },
  };
}
