import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { parseGiven } from '../../lib/json/parse-given.ts';
import {
  flag,
  gotOf,
  number,
  type OptionValues,
  oneOf,
  option,
  shownPlace,
  text,
} from '../command-line/option-table.ts';
import { type Fault, parseFaults } from './faults.ts';
import { LIMIT_OPTIONS, limitOf } from './limit-options.ts';
import { LIST_ORDERS } from './list-order.ts';
import { META_DIALECTS } from './meta-dialects.ts';
import {
  DEFAULTS,
  DEMO_KEY,
  type ListChange,
  PER_PAGE_RULES,
  type SimulatorOptions,
} from './options.ts';

const { customers, firstPage, keyHeader, latencyMs, maxPerPage, meta, order, seed } = DEFAULTS;
const { perPage, perPageRule, perPageSizes } = DEFAULTS;
const decimal = number();

export const SIMULATOR_OPTIONS = {
  customers: option('N', 'customers in the list', decimal, customers),
  invoices: option('N', 'invoices in the list', decimal, 'a tenth of the customers'),
  subscriptions: option('N', 'subscriptions in the list', decimal, 'a tenth of the customers'),
  seed: option('N', 'the same seed gives the same records', decimal, seed),
  ...LIMIT_OPTIONS,
  latency: option('MS', 'time before every answer', decimal, latencyMs),
  'per-page': option('N', 'records a page when the client does not say', decimal, perPage),
  'max-per-page': option('N', 'a larger per_page is lowered to this', decimal, maxPerPage),
  'per-page-rule': {
    ...option('RULE', 'which per_page is taken as it is', oneOf(PER_PAGE_RULES), perPageRule),
    choices: PER_PAGE_RULES,
  },
  'per-page-sizes': option(
    'N,N',
    'with --per-page-rule listed or refuse-unlisted: which',
    sizesOf,
    perPageSizes.join(),
  ),
  'first-page': option('N', 'number of the first page, 0 or 1', firstPageOf, firstPage),
  order: {
    ...option('ORDER', 'of the records in all lists', oneOf(LIST_ORDERS), order),
    choices: LIST_ORDERS,
  },
  meta: {
    ...option('DIALECT', 'shape of the counts beside the records', oneOf(META_DIALECTS), meta),
    choices: META_DIALECTS,
  },
  pretty: flag('indented JSON'),
  changes: option(
    'E:I:D[:U]',
    'after every E list requests insert I, delete D and update U of its records',
    changeOf,
  ),
  faults: option(
    'FILE',
    'fault script, JSON: [{"when": {"page": 3}, "times": 1, "fault": {"kind": "reset-mid-body"}}]',
    text,
  ),
  port: option('N', 'port to listen on', decimal, 'any free one'),
  'base-path': option('PATH', 'path before /2.0, such as /eu/api', String),
  'key-header': option('NAME', 'header that carries the key', text, keyHeader),
  ca: option('FILE', 'where to write the CA certificate', text, 'a temporary file'),
  log: option('FILE', 'append every request as a line of JSON', text),
  truth: option(
    'FILE',
    'write every customer as a line of JSON, at the start and at the end; other lists beside it',
    text,
  ),
  journal: option('FILE', 'append every change of a list as a line of JSON', text),
  json: flag('print one line for programs: {"url", "ca", "pid"}'),
  verbose: flag('print every request on stderr'),
} as const;

/** The options of members of {@link SimulatorOptions} that have another name. */
export const OPTIONS_OF_SETTINGS = {
  ratePerSecond: 'rate',
  requests: 'rate',
  windowSeconds: 'window',
  latencyMs: 'latency',
  change: 'changes',
};

export const KEY_SOURCE = `The key is taken from CUSTOMERS_API_KEY; without it the demo key is ${DEMO_KEY}.`;

export type SimulatorCommand = OptionValues<typeof SIMULATOR_OPTIONS>;

/** What the command line says of the API. @throws SettingError naming the option. */
export function simulatorOptionsOf(given: SimulatorCommand, key: string): SimulatorOptions {
  checkSizes(given);
  return {
    organizations: [{ key }],
    limit: limitOf(given),
    ...defined({
      pretty: given.pretty,
      customers: given.customers,
      invoices: given.invoices,
      subscriptions: given.subscriptions,
      seed: given.seed,
      latencyMs: given.latency,
      perPage: given['per-page'],
      maxPerPage: given['max-per-page'],
      perPageRule: given['per-page-rule'],
      perPageSizes: given['per-page-sizes'],
      firstPage: given['first-page'],
      order: given.order,
      port: given.port,
      basePath: given['base-path'],
      keyHeader: given['key-header'],
      meta: given.meta,
      rateLimitHeaders: given['rate-limit-headers'],
      retryAfter: given['retry-after'],
      change: given.changes,
    }),
  };
}

/** Reads the text of a fault script's file. @throws SettingError naming the option and the place in the script. */
export function parseFaultsFile(file: string): readonly Fault[] {
  const script = parseGiven(file, '--faults', shownPlace);
  if (script === undefined) throw new SettingError('--faults', 'expected a file with JSON');
  return parseFaults(script, '--faults');
}

function firstPageOf(given: string, name: string): 0 | 1 {
  return oneOf(['0', '1'])(given, name) === '0' ? 0 : 1;
}

function sizesOf(given: string, name: string): readonly number[] {
  if (/^\d+(,\d+)*$/.test(given)) return given.split(',').map(Number);
  throw new SettingError(name, `expected sizes such as 10,25,50, got ${gotOf(given)}`);
}

/** Sizes that no rule asks about would be taken for ones that hold. */
function checkSizes(given: SimulatorCommand): void {
  const rule = given['per-page-rule'] ?? perPageRule;
  const isAsked = rule === 'listed' || rule === 'refuse-unlisted';
  if (given['per-page-sizes'] === undefined || isAsked) return;
  throw new SettingError('--per-page-sizes', `has no meaning with --per-page-rule ${rule}`);
}

function changeOf(given: string, name: string): ListChange {
  if (!/^\d+(:\d+){2,3}$/.test(given)) {
    throw new SettingError(
      name,
      `expected EVERY:INSERTS:DELETES or EVERY:INSERTS:DELETES:UPDATES such as 10:1:1, got ${gotOf(given)}`,
    );
  }
  const [everyRequests = 0, inserts = 0, deletes = 0, updates = 0] = given.split(':').map(Number);
  return { everyRequests, inserts, deletes, updates };
}
