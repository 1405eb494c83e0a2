import * as v from 'valibot';
import { defined } from '../../../lib/defined.ts';
import type { Gate, GateOpening, GateOpenings } from '../../../lib/gate/ports.ts';
import { parseGatePace } from '../../../lib/pace/gate-pace.ts';
import type { WriteGates } from '../../../lib/writes/ports.ts';
import { reserveSlots } from '../../../lib/writes/reserve-slots.ts';
import { ORGANIZATION_ATTRIBUTES, organizationWrites } from './gate-organization.ts';
import { type EveryMember, text, timeMs } from './ledger-item.ts';
import type { LedgerTable } from './ledger-table.ts';

const opening = v.object({
  id: text,
  atMs: timeMs,
  by: text,
  reason: text,
  untilMs: timeMs,
  waitAsSent: v.exactOptional(text),
} satisfies EveryMember<GateOpening>);

// Each attribute is written on its own, so any of them may be absent.
const GateSchema = v.object({
  blockedUntilMs: v.optional(v.number(), 0),
  haltedKeyVersions: v.optional(v.array(v.string()), []),
  paceText: v.optional(v.string()),
  nextSlotAtMs: v.optional(v.number()),
  ...ORGANIZATION_ATTRIBUTES,
  waitAsSent: v.exactOptional(v.string()),
  opening: v.exactOptional(opening),
  stoppedExportId: v.exactOptional(text),
});

/** Somebody else reserved first: so often in a row means that many do at once, who go on one by one. */
const MAX_TRIES = 20;

/**
 * The item `gate`. All writes but those of slots and of the organization can be repeated, so a lost answer does no
 * harm.
 */
export function createGates(table: LedgerTable): WriteGates & GateOpenings {
  const placeOf = (connection: string) => ({ connection, sort: 'gate', schema: GateSchema });
  const read = async (connection: string) =>
    (await table.get(placeOf(connection))) ?? v.parse(GateSchema, {});

  return {
    read: async (connection) => gateOf(await read(connection)),

    blockUntil: (connection, untilMs, waitAsSent) =>
      table.update(
        placeOf(connection),
        waitAsSent === undefined
          ? 'SET blockedUntilMs = :until REMOVE waitAsSent'
          : 'SET blockedUntilMs = :until, waitAsSent = :sent',
        { ':until': untilMs, ':sent': waitAsSent },
        'attribute_not_exists(blockedUntilMs) OR blockedUntilMs < :until',
      ),

    open: async (connection, openingOf) => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const stored = await read(connection);
        const opening = openingOf(gateOf(stored));
        if (opening === undefined) return gateOf(stored);
        const isWritten = await table.update(
          placeOf(connection),
          'SET blockedUntilMs = :none, opening = :opening REMOVE waitAsSent, paceText',
          { ':none': 0, ':opening': opening, ':seen': stored.blockedUntilMs },
          'blockedUntilMs = :seen',
        );
        if (isWritten) {
          const { waitAsSent: _wait, paceText: _pace, ...rest } = stored;
          return gateOf({ ...rest, blockedUntilMs: 0, opening });
        }
      }
      throw new Error(`The gate of ${connection} changed ${MAX_TRIES} times meanwhile. Ask again.`);
    },

    stopExport: async (connection, exportId) => {
      await table.update(placeOf(connection), 'SET stoppedExportId = :id', { ':id': exportId });
    },

    ...organizationWrites(table, placeOf),

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

function gateOf({
  nextSlotAtMs: _,
  paceText,
  organizationSample: sample,
  ...gate
}: v.InferOutput<typeof GateSchema>): Gate {
  return { ...gate, ...defined({ pace: parseGatePace(paceText), sample }) };
}
