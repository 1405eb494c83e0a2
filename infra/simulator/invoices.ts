import { FIRST_CUSTOMER_ID } from './customers.ts';
import { numberIds, type RecordSource } from './record-source.ts';
import { AMOUNTS, dayText, pick, poolOf } from './sample-pool.ts';

/** Beyond 2^53 too, and no customer's. */
const FIRST_INVOICE_ID = 9_107_199_254_740_993n;
const DAYS = 1_000;
const TERM_DAYS = 30;

/** A quarter each would look made up. */
const STATUS_ORDER = ['paid', 'open', 'paid', 'paid', 'draft', 'paid', 'void', 'open'];
/** The same member as a text, a number and null: APIs that grew have such ones. */
const PURCHASE_ORDERS = ['"PO-0077"', 'null', '4500017093', '"4500017093"', 'null'];
const LINES = [
  '{"text":"Licence, yearly","quantity":1,"unit_price":1999.00,"tax_rate":0.19}',
  '{"text":"Support","quantity":2.50,"unit_price":120.00,"tax_rate":0.19}',
  '{"text":"Credit","quantity":-1,"unit_price":12.50,"tax_rate":0}',
  '{"text":"Caf\\u00e9 \\"au lait\\"","quantity":10000000000000000001,"unit_price":0.000001,"tax_rate":null}',
];

/** Invoices of one organization: nested records, several forms of numbers, a status to select by. */
export function invoiceSource(seed: number, organizationIndex: number): RecordSource {
  const pool = poolOf(seed);
  const ids = numberIds(FIRST_INVOICE_ID, organizationIndex);
  const customerIds = numberIds(FIRST_CUSTOMER_ID, organizationIndex);
  const statusOf = (sequence: number) => pick(STATUS_ORDER, sequence);
  const textOf = (sequence: number, version: number) => {
    const status = statusOf(sequence);
    const billTo = pick(pool, sequence * 5);
    const day = (sequence * 7) % DAYS;
    const paidAt = status === 'paid' ? pick(pool, sequence * 11).createdAt : 'null';
    return (
      `{"id":${ids.idOf(sequence)},"number":"INV-${String(sequence + 1).padStart(6, '0')}"` +
      `,"version":${version},"status":"${status}"` +
      `,"customer":{"id":${customerIds.idOf(sequence >> 1)},"name":${billTo.name}` +
      `,"address":${billTo.address}},"lines":[${linesOf(sequence).join(',')}]` +
      `,"total":${pick(AMOUNTS, sequence + version)},"currency":"EUR"` +
      `,"purchase_order":${pick(PURCHASE_ORDERS, sequence)}` +
      `,"issued_on":"${dayText(day)}","due_on":"${dayText(day + TERM_DAYS)}","paid_at":${paidAt}}`
    );
  };
  return { ...ids, statusOf, textOf };
}

/** None to three. */
function linesOf(sequence: number): readonly string[] {
  return Array.from({ length: sequence % 4 }, (_, index) => pick(LINES, sequence + index));
}
