import * as v from 'valibot';
import type { Gates } from '../../lib/gate/ports.ts';
import { gatePaceText, parseGatePace } from '../../lib/pace/gate-pace.ts';
import type { LedgerTable } from './ledger-table.ts';
import { parseItem } from './parse-item.ts';

const SORT = 'gate';

// Each attribute is written on its own, so any of them may be absent.
const GateSchema = v.object({
  blockedUntilMs: v.optional(v.number(), 0),
  haltedKeyVersions: v.optional(v.array(v.string()), []),
  paceText: v.optional(v.string()),
});

/** The item `gate`. All writes can be repeated, so a lost answer does no harm. */
export function createGates(table: LedgerTable): Gates {
  return {
    read: async (connection) => {
      const item = (await table.get({ connection, sort: SORT })) ?? {};
      const { paceText, ...gate } = parseItem(GateSchema, item, SORT);
      const pace = parseGatePace(paceText);
      return pace === undefined ? gate : { ...gate, pace };
    },

    blockUntil: async (connection, untilMs) => {
      await table.update(
        { connection, sort: SORT },
        'SET blockedUntilMs = :until',
        { ':until': untilMs },
        'attribute_not_exists(blockedUntilMs) OR blockedUntilMs < :until',
      );
    },

    storePace: async (connection, pace) => {
      await table.update({ connection, sort: SORT }, 'SET paceText = :pace', {
        ':pace': gatePaceText(pace),
      });
    },

    haltKeyVersion: async (connection, keyVersion) => {
      await table.update({ connection, sort: SORT }, 'ADD haltedKeyVersions :versions', {
        ':versions': new Set([keyVersion]),
      });
    },
  };
}
