import { createHash } from 'node:crypto';
import { SettingError } from '../../lib/errors.ts';
import { customerSource, invoiceSource } from './customers.ts';
import { type Limiter, limiterOf, type RateLimit } from './rate-limit.ts';
import { RecordList } from './record-list.ts';
import type { WriteMemory } from './writes.ts';

/** One key of an organization. Several keys may name the same organization: an older and a newer one. */
export interface OrganizationOptions {
  readonly key: string;
  /** @default 'Demo Organization' */
  readonly name?: string;
  /** @default the simulator's `customers`; the first key that names the organization decides */
  readonly customers?: number;
  /** @default 'active' */
  readonly status?: KeyStatus;
}

export type KeyStatus = 'active' | 'revoked';

const DEFAULT_ORGANIZATION = 'Demo Organization';

export interface Organization {
  readonly name: string;
  readonly resources: ReadonlyMap<string, RecordList>;
  readonly writes: WriteMemory;
}

/** What a key opens. `id` is its label in the log. */
export interface KeyHolder {
  readonly id: string;
  readonly organization: Organization;
  readonly limiter: Limiter;
  status: KeyStatus;
}

export interface OrganizationDefaults {
  readonly customers: number;
  readonly seed: number;
  readonly limit: RateLimit;
}

/**
 * Makes the organizations that the keys name.
 *
 * @throws SettingError for a key that is given twice; the message names its place, not the key.
 */
export function keyHoldersOf(
  options: readonly OrganizationOptions[],
  defaults: OrganizationDefaults,
): ReadonlyMap<string, KeyHolder> {
  const organizations = new Map<string, Organization>();
  const holders = new Map<string, KeyHolder>();
  const keyCounts = new Map<string, number>();
  options.forEach((option, index) => {
    const place = `organizations[${index}].key`;
    if (option.key === '') throw new SettingError(place, 'expected a key, got an empty text.');
    if (holders.has(option.key)) throw new SettingError(place, 'is the same as an earlier key.');
    const name = option.name ?? DEFAULT_ORGANIZATION;
    const organization =
      organizations.get(name) ??
      organizationOf(
        name,
        option.customers ?? defaults.customers,
        defaults.seed,
        organizations.size,
      );
    organizations.set(name, organization);
    const count = (keyCounts.get(name) ?? 0) + 1;
    keyCounts.set(name, count);
    holders.set(option.key, {
      id: `${name}/${count}`,
      organization,
      limiter: limiterOf(defaults.limit),
      status: option.status ?? 'active',
    });
  });
  return holders;
}

/** Labels for keys that nobody made: the same key gets the same label, and no key is kept. */
export function unknownKeyLabels(): (key: string) => string {
  const labels = new Map<string, string>();
  return (key) => {
    const digest = createHash('sha256').update(key).digest('hex');
    const label = labels.get(digest) ?? `unknown/${labels.size + 1}`;
    labels.set(digest, label);
    return label;
  };
}

/** A tenth as many invoices as customers: enough for several pages. */
function organizationOf(
  name: string,
  customers: number,
  seed: number,
  index: number,
): Organization {
  return {
    name,
    resources: new Map([
      ['customers', new RecordList(customerSource(seed, index), customers)],
      ['invoices', new RecordList(invoiceSource(seed, index), Math.ceil(customers / 10))],
    ]),
    writes: new Map(),
  };
}
