import * as v from 'valibot';
import type { WriteGates } from '../../lib/writes/ports.ts';
import { type ReservedSlots, reserveSlots } from '../../lib/writes/reserve-slots.ts';
import type { LedgerTable } from './ledger-table.ts';
import { parseItem } from './parse-item.ts';

const SORT = 'gate';

/** Somebody else reserved first: so often in a row means that many do at once, who go on one by one. */
const MAX_TRIES = 20;

const SlotSchema = v.object({ nextSlotAtMs: v.exactOptional(v.number()) });

/** The attribute `nextSlotAtMs` of the item `gate`. */
export function createSlotReservation(table: LedgerTable): Pick<WriteGates, 'reserve'> {
  const reserveOnce = async (
    connection: string,
    request: Parameters<WriteGates['reserve']>[1],
  ): Promise<ReservedSlots | undefined> => {
    const key = { connection, sort: SORT };
    const { nextSlotAtMs } = parseItem(SlotSchema, (await table.get(key)) ?? {}, SORT);
    const reserved = reserveSlots(nextSlotAtMs, request);
    if (reserved.granted === 0) return reserved;
    const written = await table.update(
      key,
      'SET nextSlotAtMs = :next',
      {
        ':next': reserved.nextSlotAtMs,
        ...(nextSlotAtMs === undefined ? {} : { ':seen': nextSlotAtMs }),
      },
      nextSlotAtMs === undefined ? 'attribute_not_exists(nextSlotAtMs)' : 'nextSlotAtMs = :seen',
    );
    return written === 'written' ? reserved : undefined;
  };

  return {
    reserve: async (connection, request) => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const reserved = await reserveOnce(connection, request);
        if (reserved !== undefined) return reserved;
      }
      throw new Error(
        `The slots of ${connection} were taken by others ${MAX_TRIES} times in a row. The messages come back and ask again.`,
      );
    },
  };
}
