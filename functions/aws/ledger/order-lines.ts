import * as v from 'valibot';
import type { WriteLedger } from '../../../lib/writes/ports.ts';
import type { OrderLine } from '../../../lib/writes/write-state.ts';
import { type EveryMember, text, timeMs } from './ledger-item.ts';
import type { LedgerTable } from './ledger-table.ts';

const OrderLineSchema: v.GenericSchema<unknown, OrderLine> = v.object({
  v: v.literal(1),
  connection: text,
  orderKey: text,
  writeToken: text,
  writeIds: v.array(text),
  deleteAfterMs: v.exactOptional(timeMs),
} satisfies EveryMember<OrderLine>);

/** The items `order#<orderKey>`. */
export function createOrderLines(
  table: Pick<LedgerTable, 'get' | 'replace'>,
): Pick<WriteLedger, 'readLine' | 'writeLine'> {
  const placeOf = (connection: string, orderKey: string) => ({
    connection,
    sort: `order#${orderKey}`,
    schema: OrderLineSchema,
  });
  return {
    readLine: (connection, orderKey) => table.get(placeOf(connection, orderKey)),
    writeLine: (next, expectedToken) =>
      table.replace(placeOf(next.connection, next.orderKey), next, expectedToken),
  };
}
