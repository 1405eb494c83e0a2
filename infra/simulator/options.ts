import * as v from 'valibot';
import { parseOptions } from '../../lib/customers-api/parse-options.ts';
import { defined } from '../../lib/defined.ts';
import { type NumberRange, numberIn } from '../../lib/number-range.ts';
import type { Fault } from './faults.ts';
import type { RecordChange } from './list-history.ts';
import { LIST_ORDERS, type ListOrder } from './list-order.ts';
import { META_DIALECTS, type MetaDialect } from './meta-dialects.ts';
import type { RateLimit } from './rate-limit.ts';
import { RATE_LIMIT_HEADERS, type RateLimitHeaders } from './rate-limit-headers.ts';
import { RateLimitSchema } from './rate-limit-option.ts';
import type { RequestLogEntry } from './request-log.ts';
import type { ResourceName } from './resources.ts';

/** How many records each list of an organization has, 0 to 10,000,000. */
export interface ListSizes {
  /** @default 2500, of an organization: the simulator's */
  readonly customers?: number;
  /** @default a tenth of the customers */
  readonly invoices?: number;
  /** Those that are canceled are listed only when they are asked for. @default a tenth of the customers */
  readonly subscriptions?: number;
}

/**
 * One key of an organization. Several keys may name the same organization, an older and a newer one: the
 * first one decides how long its lists are.
 */
export interface OrganizationOptions extends ListSizes {
  readonly key: string;
  /** @default 'Demo Organization' */
  readonly name?: string;
  /** @default 'active' */
  readonly status?: KeyStatus;
}

export type KeyStatus = 'active' | 'revoked';

export const KEY_STATUSES: readonly KeyStatus[] = ['active', 'revoked'];

/** What others do to a list at once: they insert where its order says, delete and edit at random places. */
export interface ListEdit {
  readonly inserts: number;
  readonly deletes: number;
  /** @default 0 */
  readonly updates?: number;
}

/** The list changes while it is read: after every n answered list requests. */
export interface ListChange extends ListEdit {
  readonly everyRequests: number;
}

/**
 * What becomes of a `per_page`.
 *
 * - `any`: each is taken, up to `maxPerPage`.
 * - `fixed`: none is; pages have `perPage` records.
 * - `listed`: one of `perPageSizes` is taken, another one is lowered to the next of them without a word.
 * - `refuse-unlisted`: one of `perPageSizes` is taken, another one is answered 422.
 */
type PerPageRule = (typeof PER_PAGE_RULES)[number];

export const PER_PAGE_RULES = ['any', 'fixed', 'listed', 'refuse-unlisted'] as const;

/** A change, and where it happened. */
export interface LoggedChange extends RecordChange {
  readonly organization: string;
  readonly resource: ResourceName;
}

export interface SimulatorOptions extends ListSizes {
  /** The same seed gives the same records, changes and fault draws. @default 1 */
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
  /** @default 'any' */
  readonly perPageRule?: PerPageRule;
  /** For the rules that name sizes. @default [10, 25, 50, 100] */
  readonly perPageSizes?: readonly number[];
  /** @default 1 */
  readonly firstPage?: 0 | 1;
  /** Of all lists. @default 'rising' */
  readonly order?: ListOrder;
  /** @default 'rails' */
  readonly meta?: MetaDialect;
  /** Indented JSON. @default false */
  readonly pretty?: boolean;
  /** Counted for each key on its own. @default none */
  readonly limit?: RateLimit;
  /** Headers that tell the state of the limits in each answer. @default 'none' */
  readonly rateLimitHeaders?: RateLimitHeaders;
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
  /** Called once for every change of a list. @default nothing */
  readonly onChanged?: (change: LoggedChange) => void;
}

/** Accepted when no organizations are given. It opens nothing but a simulator. */
export const DEMO_KEY = 'demo-key-for-the-simulator';

export const DEFAULTS = {
  customers: 2500,
  seed: 1,
  port: 0,
  basePath: '',
  keyHeader: 'API-KEY',
  perPage: 25,
  maxPerPage: 100,
  perPageRule: 'any',
  perPageSizes: [10, 25, 50, 100],
  firstPage: 1,
  order: 'rising',
  meta: 'rails',
  pretty: false,
  limit: { kind: 'none' },
  rateLimitHeaders: 'none',
  retryAfter: 'seconds',
  latencyMs: 0,
  organizations: [{ key: DEMO_KEY }],
  faults: [],
  onChanged: () => {},
} as const satisfies SimulatorOptions;

type Optional = 'change' | 'invoices' | 'subscriptions';

export type SimulatorSettings = Required<Omit<SimulatorOptions, Optional | 'now' | 'onLogged'>> &
  Pick<SimulatorOptions, Optional> & { readonly now: () => number };

type Entries<Options> = { readonly [K in keyof Options]-?: v.GenericSchema };

const text = v.optional(v.string());
const callback = v.optional(v.function('expected a function'));

function number(...range: NumberRange) {
  return v.optional(numberIn(range));
}

function oneOf(names: readonly string[]) {
  return v.optional(v.picklist(names, `expected one of ${names.join(', ')}`));
}

const records = number(0, 10_000_000);
const sizes = { customers: records, invoices: records, subscriptions: records };
const size = numberIn([1, 100_000]);
const edited = numberIn([0, 1_000_000]);
const edit = { inserts: edited, deletes: edited, updates: v.optional(edited) };
const EditSchema = v.strictObject(edit satisfies Entries<ListEdit>);
const ChangeSchema = v.strictObject({
  ...edit,
  everyRequests: numberIn([1, 1e9]),
} satisfies Entries<ListChange>);
const OrganizationSchema = v.strictObject({
  ...sizes,
  key: v.string(),
  name: text,
  status: oneOf(KEY_STATUSES),
} satisfies Entries<OrganizationOptions>);

const OptionsSchema = v.strictObject({
  ...sizes,
  seed: number(0, 2 ** 32 - 1),
  port: number(0, 65_535),
  basePath: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^(\/[\w.~-]+)*$/,
        ({ input }) => `expected a path such as /eu/api without a slash at its end, got ${input}`,
      ),
    ),
  ),
  keyHeader: v.optional(
    v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of an HTTP header')),
  ),
  perPage: v.optional(size),
  maxPerPage: v.optional(size),
  perPageRule: oneOf(PER_PAGE_RULES),
  perPageSizes: v.optional(v.pipe(v.array(size), v.minLength(1, 'expected at least one'))),
  firstPage: number(0, 1),
  order: oneOf(LIST_ORDERS),
  meta: oneOf(META_DIALECTS),
  pretty: v.optional(v.boolean()),
  limit: v.optional(RateLimitSchema),
  rateLimitHeaders: oneOf(RATE_LIMIT_HEADERS),
  retryAfter: oneOf(['seconds', 'date']),
  latencyMs: number(0, 2 ** 31 - 1, 'fractions'),
  organizations: v.optional(v.array(OrganizationSchema)),
  // Read by a schema of their own.
  faults: v.optional(v.unknown()),
  change: v.optional(ChangeSchema),
  now: callback,
  onLogged: callback,
  onChanged: callback,
} satisfies Entries<SimulatorOptions>);

/** @throws SettingError naming the first option that cannot be used, or that nobody knows. */
export function settingsOf(options: SimulatorOptions): SimulatorSettings {
  parseOptions(OptionsSchema, options, 'options');
  return { now: Date.now, ...DEFAULTS, ...defined(options) };
}

/** @throws SettingError naming the member that cannot be used, or that nobody knows. */
export function checkEdit(given: ListEdit): void {
  parseOptions(EditSchema, given, 'edit');
}
