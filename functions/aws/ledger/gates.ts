import * as v from 'valibot';
import { gatePaceText, parseGatePace } from '../../../lib/pace/gate-pace.ts';
import type { WriteGates } from '../../../lib/writes/ports.ts';
import { reserveSlots } from '../../../lib/writes/reserve-slots.ts';
import type { LedgerTable } from './ledger-table.ts';

// Each attribute is written on its own, so any of them may be absent.
const GateSchema = v.object({
  blockedUntilMs: v.optional(v.number(), 0),
  haltedKeyVersions: v.optional(v.array(v.string()), []),
  paceText: v.optional(v.string()),
  nextSlotAtMs: v.optional(v.number()),
});

/** Somebody else reserved first: so often in a row means that many do at once, who go on one by one. */
const MAX_TRIES = 20;

/** The item `gate`. All writes but that of slots can be repeated, so a lost answer does no harm. */
export function createGates(table: LedgerTable): WriteGates {
  const placeOf = (connection: string) => ({ connection, sort: 'gate', schema: GateSchema });
  const read = async (connection: string) =>
    (await table.get(placeOf(connection))) ?? v.parse(GateSchema, {});

  return {
    read: async (connection) => {
      const { blockedUntilMs, haltedKeyVersions, paceText } = await read(connection);
      const pace = parseGatePace(paceText);
      const gate = { blockedUntilMs, haltedKeyVersions };
      return pace === undefined ? gate : { ...gate, pace };
    },

    blockUntil: async (connection, untilMs) => {
      await table.update(
        placeOf(connection),
        'SET blockedUntilMs = :until',
        { ':until': untilMs },
        'attribute_not_exists(blockedUntilMs) OR blockedUntilMs < :until',
      );
    },

    storePace: async (connection, pace) => {
      const values = { ':pace': gatePaceText(pace) };
      await table.update(placeOf(connection), 'SET paceText = :pace', values);
    },

    haltKeyVersion: async (connection, keyVersion) => {
      const values = { ':versions': new Set([keyVersion]) };
      await table.update(placeOf(connection), 'ADD haltedKeyVersions :versions', values);
    },

    reserve: async (connection, request) => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const { nextSlotAtMs: seen } = await read(connection);
        const reserved = reserveSlots(seen, request);
        if (reserved.granted === 0) return reserved;
        const isWritten = await table.update(
          placeOf(connection),
          'SET nextSlotAtMs = :next',
          { ':next': reserved.nextSlotAtMs, ':seen': seen },
          seen === undefined ? 'attribute_not_exists(nextSlotAtMs)' : 'nextSlotAtMs = :seen',
        );
        if (isWritten) return reserved;
      }
      throw new Error(
        `The slots of ${connection} were taken by others ${MAX_TRIES} times in a row. The messages come back and ask again.`,
      );
    },
  };
}
