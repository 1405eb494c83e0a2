import type { Gates } from '../../../lib/gate/ports.ts';
import { gatePaceText } from '../../../lib/pace/gate-pace.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const IS_OF_ORGANIZATION = 'organization.id = :id';

export function organizationWrites(
  table: Pick<LedgerTable, 'update'>,
  placeOf: (connection: string) => ItemPlace<unknown>,
): Pick<Gates, 'storePace' | 'storeSample' | 'replaceOrganization'> {
  return {
    storePace: async (connection, organizationId, pace) => {
      const values = { ':pace': gatePaceText(pace), ':id': organizationId };
      await table.update(placeOf(connection), 'SET paceText = :pace', values, IS_OF_ORGANIZATION);
    },

    storeSample: async (connection, organizationId, taken) => {
      const set = 'SET organizationSample = :sample';
      const values = { ':sample': taken, ':id': organizationId };
      await table.update(placeOf(connection), set, values, IS_OF_ORGANIZATION);
    },

    replaceOrganization: (connection, next, seen) => {
      const forget = next.id === seen?.id ? '' : ' REMOVE paceText, organizationSample';
      return table.update(
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
