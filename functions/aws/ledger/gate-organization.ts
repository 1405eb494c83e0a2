import * as v from 'valibot';
import type {
  Organization,
  OrganizationChange,
  OrganizationSample,
} from '../../../lib/gate/organization.ts';
import type { Gates } from '../../../lib/gate/ports.ts';
import { gatePaceText } from '../../../lib/pace/gate-pace.ts';
import { recordOf } from '../../../lib/record-of.ts';
import { count, type EveryMember, text, timeMs } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const change = v.object({
  atMs: timeMs,
  previousId: text,
  keyVersion: text,
  shownBy: v.picklist(['label', 'sample', 'nothing']),
} satisfies EveryMember<OrganizationChange>);

export const OrganizationSchema = v.object({
  writeToken: text,
  id: text,
  credentials: v.array(text),
  label: v.exactOptional(text),
  check: v.exactOptional(v.object({ credential: text, untilMs: timeMs })),
  unannounced: v.exactOptional(change),
} satisfies EveryMember<Organization>);

/** Without it a new key shows no organization: it counts as one of another. */
export const SampleSchema = v.object({
  resource: text,
  page: count,
  perPage: v.exactOptional(count),
  query: v.optional(recordOf(v.string(), v.string()), {}),
  hashes: v.pipe(v.array(text), v.minLength(1)),
  atMs: timeMs,
} satisfies EveryMember<OrganizationSample>);

const IS_OF_ORGANIZATION = 'organization.id = :id';

/** The writes of the gate that belong to one organization. */
export function organizationWrites(
  { update }: Pick<LedgerTable, 'update'>,
  placeOf: (connection: string) => ItemPlace<unknown>,
): Pick<Gates, 'storePace' | 'storeSample' | 'replaceOrganization'> {
  return {
    storePace: async (connection, organizationId, pace) => {
      const values = { ':pace': gatePaceText(pace), ':id': organizationId };
      await update(placeOf(connection), 'SET paceText = :pace', values, IS_OF_ORGANIZATION);
    },

    storeSample: async (connection, organizationId, taken) => {
      const set = 'SET organizationSample = :sample';
      const values = { ':sample': taken, ':id': organizationId };
      await update(placeOf(connection), set, values, IS_OF_ORGANIZATION);
    },

    replaceOrganization: (connection, next, seen) => {
      const forget = next.id === seen?.id ? '' : ' REMOVE paceText, organizationSample';
      return update(
        placeOf(connection),
        `SET organization = :next${forget}`,
        { ':next': next, ':seen': seen?.writeToken },
        seen === undefined
          ? 'attribute_not_exists(organization)'
          : 'organization.writeToken = :seen',
      );
    },
  };
}
