import * as v from 'valibot';
import { defined } from '../../../lib/defined.ts';
import { isUncompared, OrganizationSchema } from '../../../lib/gate/organization.ts';
import { SampleSchema } from '../../../lib/gate/organization-sample.ts';
import {
  type Gate,
  GateOpeningSchema,
  type GateOpenings,
  type Gates,
} from '../../../lib/gate/ports.ts';
import { gatePaceText, parseGatePace } from '../../../lib/pace/gate-pace.ts';
import { text, timeMs } from '../../../lib/stored.ts';
import { PlacesSchema, placeWrites } from './gate-places.ts';
import { advice } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const stringSet = v.pipe(
  v.set(v.string()),
  v.transform((set) => [...set]),
);

/**
 * Each attribute is written on its own, so any of them may be absent. Those that bind callers are read strictly: where
 * one cannot be read, nothing is sent. The others are replaced by their next write.
 */
const GateSchema = v.object({
  blockedUntilMs: v.optional(timeMs, 0),
  haltedKeyVersions: v.optional(stringSet, new Set<string>()),
  haltedUntilMs: v.exactOptional(timeMs),
  organization: v.exactOptional(OrganizationSchema),
  // Not `sample`: that is a reserved word of DynamoDB's expressions.
  // Without it a new key shows no organization: it counts as one of another.
  organizationSample: advice(SampleSchema),
  paceText: v.optional(v.unknown()),
  places: advice(PlacesSchema),
  waitAsSent: advice(text),
  opening: advice(GateOpeningSchema),
  stoppedExportId: advice(text),
});

/**
 * Rejected key versions that are named, with 36 characters each. An item without a bound would no longer take the next one,
 * which would be sent again and again. Of each further one all that were stored before it count as rejected too: of the good
 * ones only a version that an operator goes back to is missed, and none that was stored while the rejected one was in use.
 */
const MAX_NAMED = 100;

/** So often in a row another wait came meanwhile. */
const MAX_TRIES = 20;

/**
 * The item `gate`. All writes but those of places and of the organization can be repeated, so a lost answer does no
 * harm.
 */
export function createGates(
  table: Pick<LedgerTable, 'get' | 'update' | 'updateAndRead'>,
): Gates & GateOpenings {
  const placeOf = (connection: string) => ({ connection, sort: 'gate', schema: GateSchema });
  const read = async (connection: string) =>
    (await table.get(placeOf(connection))) ?? v.parse(GateSchema, {});

  return {
    read: async (connection) => gateOf(await read(connection)),

    blockUntil: (connection, untilMs, waitAsSent) =>
      table.update(
        placeOf(connection),
        `SET blockedUntilMs = :until${waitAsSent === undefined ? ' REMOVE waitAsSent' : ', waitAsSent = :sent'}`,
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
          'SET blockedUntilMs = :none, opening = :opening REMOVE waitAsSent, paceText, places',
          { ':none': 0, ':opening': opening, ':seen': stored.blockedUntilMs },
          'blockedUntilMs = :seen',
        );
        if (isWritten) {
          const { waitAsSent: _wait, paceText: _pace, places: _places, ...rest } = stored;
          return gateOf({ ...rest, blockedUntilMs: 0, opening });
        }
      }
      throw new Error(`The gate of ${connection} changed ${MAX_TRIES} times meanwhile. Ask again.`);
    },

    stopExport: async (connection, exportId) => {
      await table.update(placeOf(connection), 'SET stoppedExportId = :id', { ':id': exportId });
    },

    ...organizationWrites(table, placeOf, read),
    ...placeWrites(table, placeOf, gateOf),

    // One whose time is not known counts as rejected by any time.
    haltKeyVersion: async (connection, { keyVersion, createdAtMs = 0 }) => {
      const place = placeOf(connection);
      const isNamed = await table.update(
        place,
        'ADD haltedKeyVersions :versions',
        { ':versions': new Set([keyVersion]), ':version': keyVersion, ':most': MAX_NAMED },
        'attribute_not_exists(haltedKeyVersions) OR size(haltedKeyVersions) < :most OR contains(haltedKeyVersions, :version)',
      );
      if (isNamed) return;
      await table.update(
        place,
        'SET haltedUntilMs = :until',
        { ':until': createdAtMs },
        'attribute_not_exists(haltedUntilMs) OR haltedUntilMs < :until',
      );
    },
  };
}

function organizationWrites(
  table: Pick<LedgerTable, 'update'>,
  placeOf: (connection: string) => ItemPlace<unknown>,
  read: (connection: string) => Promise<v.InferOutput<typeof GateSchema>>,
): Pick<Gates, 'storePace' | 'storeSample' | 'replaceOrganization'> {
  const learn = async (
    attribute: string,
    connection: string,
    id: string,
    learned: object | string,
  ) => {
    const values = { ':learned': learned, ':id': id };
    const set = `SET ${attribute} = :learned`;
    await table.update(placeOf(connection), set, values, 'organization.id = :id');
  };
  return {
    storePace: (connection, id, pace) => learn('paceText', connection, id, gatePaceText(pace)),

    storeSample: (...sample) => learn('organizationSample', ...sample),

    replaceOrganization: async (connection, next, seen) => {
      const forget = next.id === seen?.id ? '' : ' REMOVE paceText, organizationSample';
      const set = `SET organization = :next${forget}`;
      const values = { ':next': next, ':seen': seen?.writeToken };
      const isAsSeen =
        seen === undefined
          ? 'attribute_not_exists(organization)'
          : 'organization.writeToken = :seen';
      const replace = (unless: string) =>
        table.update(placeOf(connection), set, values, isAsSeen + unless);
      if (!isUncompared(next, seen)) return replace('');
      if (await replace(' AND attribute_not_exists(organizationSample)')) return true;
      // One that cannot be read shows nothing, so it stops nobody.
      return (await read(connection)).organizationSample === undefined && replace('');
    },
  };
}

function gateOf({
  paceText,
  organizationSample: sample,
  ...rest
}: v.InferOutput<typeof GateSchema>): Gate {
  return defined({ ...rest, pace: parseGatePace(paceText), sample });
}
