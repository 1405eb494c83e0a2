import * as v from 'valibot';
import { parseOptions } from '../../lib/customers-api/parse-options.ts';
import { wholeNumber } from '../../lib/number-range.ts';
import { LIST_ORDERS } from './list-order.ts';
import { META_DIALECTS } from './meta-dialects.ts';
import {
  EDIT_COUNT,
  KEY_STATUSES,
  type ListChange,
  type ListEdit,
  type OrganizationOptions,
  PER_PAGE_RULES,
  type SimulatorOptions,
} from './options.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit-headers.ts';

type Entries<Options> = { readonly [K in keyof Options]-?: v.GenericSchema };

const text = v.optional(v.string());
const number = v.optional(v.number());
const callback = v.optional(v.function('expected a function'));

function oneOf(names: readonly string[]) {
  return v.optional(v.picklist(names, `expected one of ${names.join(', ')}`));
}

const sizes = { customers: number, invoices: number, subscriptions: number };
const editCount = wholeNumber(...EDIT_COUNT);
const EditSchema = v.strictObject({
  inserts: editCount,
  deletes: editCount,
  updates: v.optional(editCount),
} satisfies Entries<ListEdit>);
// Their ranges are checked with those of the other options.
const ChangeSchema = v.strictObject({
  inserts: v.number(),
  deletes: v.number(),
  updates: number,
  everyRequests: v.number(),
} satisfies Entries<ListChange>);
const OrganizationSchema = v.strictObject({
  ...sizes,
  key: v.string(),
  name: text,
  status: oneOf(KEY_STATUSES),
} satisfies Entries<OrganizationOptions>);

const OptionsSchema = v.strictObject({
  ...sizes,
  seed: number,
  port: number,
  basePath: text,
  keyHeader: text,
  perPage: number,
  maxPerPage: number,
  perPageRule: oneOf(PER_PAGE_RULES),
  perPageSizes: v.optional(v.array(v.number())),
  firstPage: number,
  order: oneOf(LIST_ORDERS),
  meta: oneOf(META_DIALECTS),
  pretty: v.optional(v.boolean()),
  // Limits and faults are read by schemas of their own.
  limit: v.optional(v.unknown()),
  rateLimitHeaders: oneOf(RATE_LIMIT_HEADERS),
  retryAfter: oneOf(['seconds', 'date']),
  latencyMs: number,
  organizations: v.optional(v.array(OrganizationSchema)),
  faults: v.optional(v.unknown()),
  change: v.optional(ChangeSchema),
  now: callback,
  onLogged: callback,
  onChanged: callback,
} satisfies Entries<SimulatorOptions>);

/** @throws SettingError naming the option that is of another kind, or that nobody knows. */
export function checkKinds(options: SimulatorOptions): void {
  parseOptions(OptionsSchema, options, 'options');
}

/** @throws SettingError naming the member that is of another kind, or that nobody knows. */
export function checkEdit(given: ListEdit): void {
  parseOptions(EditSchema, given, 'edit');
}
