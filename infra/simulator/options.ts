import { SettingError } from '../../lib/errors.ts';
import type { Fault } from './faults.ts';
import type { MetaDialect } from './meta-dialects.ts';
import type { OrganizationOptions } from './organizations.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestLogEntry } from './request-log.ts';

/** The list changes while it is read: after every n answered list requests, at random places. */
export interface ListChange {
  readonly everyRequests: number;
  readonly inserts: number;
  readonly deletes: number;
  /** @default 0 */
  readonly updates?: number;
}

export interface SimulatorOptions {
  /** Customers of each organization, 0 to 10,000,000. @default 2500 */
  readonly customers?: number;
  /** The same seed gives the same customers, changes and fault draws. @default 1 */
  readonly seed?: number;
  /** 0 takes a free port. @default 0 */
  readonly port?: number;
  /** Path before `/2.0`, such as `/eu/api`. @default '' */
  readonly basePath?: string;
  /** Name of the header that carries the key. @default 'API-KEY' */
  readonly keyHeader?: string;
  /** Records a page when the client sends no `per_page`. @default 25 */
  readonly perPage?: number;
  /** A larger `per_page` is lowered to this without a word. @default 100 */
  readonly maxPerPage?: number;
  /** @default 1 */
  readonly firstPage?: 0 | 1;
  /** @default 'rails' */
  readonly meta?: MetaDialect;
  /** Indented JSON. @default false */
  readonly pretty?: boolean;
  /** Counted for each key on its own. @default none */
  readonly limit?: RateLimit;
  /** Form of the `Retry-After` of a throttle. @default 'seconds' */
  readonly retryAfter?: 'seconds' | 'date';
  /** Time before every answer, ms. @default 0 */
  readonly latencyMs?: number;
  /** @default one organization with {@link DEMO_KEY} */
  readonly organizations?: readonly OrganizationOptions[];
  /** @default [] */
  readonly faults?: readonly Fault[];
  /** @default the list stays as it is */
  readonly change?: ListChange;
  /** Clock in ms for limits, `Date`, `Retry-After` and the log. Delays pass in real time. @default Date.now */
  readonly now?: () => number;
  /** Called once for every request, when it is over. @default nothing */
  readonly onLogged?: (entry: RequestLogEntry) => void;
}

/** Accepted when no organizations are given. It opens nothing but a simulator. */
export const DEMO_KEY = 'demo-key-for-the-simulator';

const DEFAULTS = {
  customers: 2500,
  seed: 1,
  port: 0,
  basePath: '',
  keyHeader: 'API-KEY',
  perPage: 25,
  maxPerPage: 100,
  firstPage: 1,
  meta: 'rails',
  pretty: false,
  limit: { kind: 'none' },
  retryAfter: 'seconds',
  latencyMs: 0,
  organizations: [{ key: DEMO_KEY }],
  faults: [],
} as const satisfies SimulatorOptions;

export type SimulatorSettings = Required<Omit<SimulatorOptions, 'change' | 'now' | 'onLogged'>> &
  Pick<SimulatorOptions, 'change'> & { readonly now: () => number };

/** @throws SettingError naming the first option that cannot be used. */
export function settingsOf(options: SimulatorOptions): SimulatorSettings {
  const settings: SimulatorSettings = { now: Date.now, ...DEFAULTS, ...options };
  const { limit, change } = settings;
  integer('customers', settings.customers, 0, 10_000_000);
  integer('seed', settings.seed, 0, 2 ** 32 - 1);
  integer('port', settings.port, 0, 65_535);
  integer('perPage', settings.perPage, 1, 100_000);
  integer('maxPerPage', settings.maxPerPage, 1, 100_000);
  integer('firstPage', settings.firstPage, 0, 1);
  number('latencyMs', settings.latencyMs, 0, 2 ** 31 - 1);
  settings.organizations.forEach(({ customers = 0 }, index) => {
    integer(`organizations[${index}].customers`, customers, 0, 10_000_000);
  });
  if (limit.kind === 'token-bucket') {
    number('limit.ratePerSecond', limit.ratePerSecond, 0.0001, 1e6);
    number('limit.burst', limit.burst, 1, 1e6);
  }
  if (limit.kind === 'fixed-window') {
    integer('limit.requests', limit.requests, 1, 1e6);
    number('limit.windowSeconds', limit.windowSeconds, 0.001, 1e9);
  }
  if (change !== undefined) {
    integer('change.everyRequests', change.everyRequests, 1, 1e9);
    integer('change.inserts', change.inserts, 0, 1e6);
    integer('change.deletes', change.deletes, 0, 1e6);
    integer('change.updates', change.updates ?? 0, 0, 1e6);
  }
  if (!/^(\/[\w.~-]+)*$/.test(settings.basePath)) {
    throw new SettingError(
      'basePath',
      `expected a path such as /eu/api without a slash at its end, got ${settings.basePath}.`,
    );
  }
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(settings.keyHeader)) {
    throw new SettingError('keyHeader', 'expected the name of an HTTP header.');
  }
  return settings;
}

function integer(name: string, value: number, minimum: number, maximum: number): void {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return;
  throw new SettingError(name, `expected an integer from ${minimum} to ${maximum}, got ${value}.`);
}

function number(name: string, value: number, minimum: number, maximum: number): void {
  if (value >= minimum && value <= maximum) return;
  throw new SettingError(name, `expected a number from ${minimum} to ${maximum}, got ${value}.`);
}
