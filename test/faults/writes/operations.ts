import type { Operation } from '../../../lib/writes/operation.ts';
import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { CONNECTION } from './write-world.ts';

const byReference = { reference: '{body.reference}' };

/** Longer than the model API's latest effect. */
export const SETTLE_SECONDS = 10;

const inList = {
  kind: 'list',
  resource: 'customers',
  query: byReference,
  match: byReference,
  maxPages: 2,
  settleSeconds: SETTLE_SECONDS,
} as const;

/** One operation of each kind that can be told apart by what makes its repeat safe. */
export const OPERATIONS: readonly Operation[] = [
  { name: 'create-keyed', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  {
    name: 'create-keyed-checked',
    method: 'POST',
    resource: 'customers',
    acceptsIdempotencyKey: true,
    check: inList,
  },
  {
    name: 'create-checked',
    method: 'POST',
    resource: 'customers',
    acceptsIdempotencyKey: false,
    check: inList,
  },
  {
    name: 'replace-checked',
    method: 'PUT',
    resource: 'customers/{id}',
    acceptsIdempotencyKey: false,
    check: {
      kind: 'read',
      resource: 'customers/{params.id}',
      match: byReference,
      settleSeconds: SETTLE_SECONDS,
    },
  },
  {
    name: 'remove-checked',
    method: 'DELETE',
    resource: 'customers/{id}',
    acceptsIdempotencyKey: false,
    check: {
      kind: 'read',
      resource: 'customers/{params.id}',
      proves: 'absent',
      settleSeconds: SETTLE_SECONDS,
    },
  },
  { name: 'create-bare', method: 'POST', resource: 'customers', acceptsIdempotencyKey: false },
];

/** A write of one of {@link OPERATIONS}. */
export function writeOf(
  operation: string,
  writeId: string,
  own: { readonly orderKey?: string | undefined; readonly bad?: boolean } = {},
): RequestedWrite {
  const { orderKey, bad = false } = own;
  const hasRecord = operation.startsWith('replace') || operation.startsWith('remove');
  return {
    v: 1,
    connection: CONNECTION,
    writeId,
    operation,
    ...(hasRecord ? { params: { id: `record-${writeId}` } } : {}),
    ...(operation.startsWith('remove')
      ? {}
      : { bodyText: JSON.stringify({ reference: writeId, ...(bad ? { bad } : {}) }) }),
    ...(orderKey === undefined ? {} : { orderKey }),
  };
}
