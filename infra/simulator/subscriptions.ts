import { FIRST_CUSTOMER_ID } from './customers.ts';
import { numberIds, type RecordSource, textIds } from './record-source.ts';
import { dayText, pick, poolOf } from './sample-pool.ts';

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
export function subscriptionSource(seed: number, organizationIndex: number): RecordSource {
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
