import { hash } from 'node:crypto';
import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { customerSource, FIRST_CUSTOMER_ID } from './customers.ts';
import { invoiceSource } from './invoices.ts';
import type { KeyStatus, ListSizes, SimulatorSettings } from './options.ts';
import { countOf, type LimitCount } from './rate-limit.ts';
import { RecordList } from './record-list.ts';
import { numberIds, type RecordSource, textIds } from './record-source.ts';
import type { ResourceName } from './resources.ts';
import { dayText, pick, poolOf } from './sample-pool.ts';
import type { WriteMemory } from './writes.ts';

const DEFAULT_ORGANIZATION = 'Demo Organization';

type Sizes = Pick<SimulatorSettings, ResourceName>;

export interface Organization {
  readonly name: string;
  readonly resources: Readonly<Record<ResourceName, RecordList>>;
  readonly writes: WriteMemory;
}

/** What a key opens. `id` is its label in the log. */
export interface KeyHolder {
  readonly id: string;
  readonly organization: Organization;
  readonly limit: LimitCount;
  /** Requests that have arrived and were not answered yet. */
  underWay: number;
  status: KeyStatus;
}

/**
 * Makes the organizations that the keys name.
 *
 * @param random Draws the places of records that an order leaves open.
 * @throws SettingError for a key that is given twice; the message names its place, not the key.
 */
export function keyHoldersOf(
  settings: SimulatorSettings,
  random: () => number,
): ReadonlyMap<string, KeyHolder> {
  const organizations = new Map<string, Organization>();
  const holders = new Map<string, KeyHolder>();
  settings.organizations.forEach((option, index) => {
    const { key, name = DEFAULT_ORGANIZATION, status = 'active' } = option;
    const place = `organizations[${index}].key`;
    if (key === '') throw new SettingError(place, 'expected a key, got an empty text.');
    if (holders.has(key)) throw new SettingError(place, 'is the same as an earlier key.');
    const organization =
      organizations.get(name) ??
      organizationOf(
        { name, index: organizations.size, sizes: sizesOf(option, settings) },
        settings,
        random,
      );
    organizations.set(name, organization);
    const older = [...holders.values()].filter((holder) => holder.organization === organization);
    const id = `${name}/${older.length + 1}`;
    holders.set(key, { id, organization, limit: countOf(settings.limit), underWay: 0, status });
  });
  return holders;
}

/** Labels for unknown keys: the same key gets the same label, and no key is kept. */
export function unknownKeyLabels(): (key: string) => string {
  const labels = new Map<string, string>();
  return (key) => {
    const digest = hash('sha256', key);
    const label = labels.get(digest) ?? `unknown/${labels.size + 1}`;
    labels.set(digest, label);
    return label;
  };
}

/** Enough for several pages, and far fewer than customers. */
const SHARE_OF_CUSTOMERS = 1 / 10;

interface OrganizationPlace {
  readonly name: string;
  /** 0 for the first one. */
  readonly index: number;
  readonly sizes: Sizes;
}

function organizationOf(
  { name, index, sizes: { customers, ...sizes } }: OrganizationPlace,
  { seed, order, onChanged }: SimulatorSettings,
  random: () => number,
): Organization {
  const share = Math.ceil(customers * SHARE_OF_CUSTOMERS);
  const { invoices = share, subscriptions = share } = sizes;
  const listOf = (resource: ResourceName, source: RecordSource, count: number) =>
    new RecordList({
      source,
      count,
      order,
      random,
      onChanged: (change) => onChanged({ organization: name, resource, ...change }),
    });
  return {
    name,
    resources: {
      customers: listOf('customers', customerSource(seed, index), customers),
      invoices: listOf('invoices', invoiceSource(seed, index), invoices),
      subscriptions: listOf('subscriptions', subscriptionSource(seed, index), subscriptions),
    },
    writes: new Map(),
  };
}

/** What an organization says of its own, else what holds for all. */
function sizesOf(option: ListSizes, all: Sizes): Sizes {
  const { customers = all.customers } = option;
  const { invoices = all.invoices, subscriptions = all.subscriptions } = option;
  return { customers, ...defined({ invoices, subscriptions }) };
}

const STATUS_ORDER = ['active', 'active', 'canceled', 'active', 'paused'];
const PLANS = [
  '{"code":"basic","interval":"month","price":{"amount":"9.90","currency":"EUR"}}',
  '{"code":"pro","interval":"year","price":{"amount":"1999.00","currency":"EUR"}}',
  '{"code":"custom","interval":null,"price":null}',
];
/** Counters that outgrew a double, and shares. */
const USAGES = [
  '{"requests":9007199254740993,"storage_gb":12.50}',
  '{"requests":0,"storage_gb":0.0}',
  'null',
  '{"requests":18446744073709551615,"storage_gb":1e-7,"seats":[3,5,8]}',
];

/** Subscriptions of one organization: ids and references are text, and those that ended are asked for by name. */
function subscriptionSource(seed: number, organizationIndex: number): RecordSource {
  const pool = poolOf(seed);
  const ids = textIds('sub_', organizationIndex);
  const customerIds = numberIds(FIRST_CUSTOMER_ID, organizationIndex);
  const statusOf = (sequence: number) => pick(STATUS_ORDER, sequence);
  const textOf = (sequence: number, version: number) => {
    const status = statusOf(sequence);
    const { createdAt } = pick(pool, sequence * 11);
    const canceledOn = status === 'canceled' ? `"${dayText(sequence % 365)}"` : 'null';
    return (
      `{"id":${ids.idJson(ids.idOf(sequence))},"version":${version},"status":"${status}"` +
      `,"customer_id":"${customerIds.idOf(sequence * 3)}","plan":${pick(PLANS, sequence)}` +
      `,"quantity":${(sequence % 12) + 1},"usage":${pick(USAGES, sequence + version - 1)}` +
      `,"started_at":${createdAt},"renews_on":"${dayText((sequence * 13) % 365)}"` +
      `,"canceled_on":${canceledOn},"trial":${sequence % 9 === 8}}`
    );
  };
  return { ...ids, statusOf, textOf };
}
