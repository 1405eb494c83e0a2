import * as v from 'valibot';
import type { Gates } from '../../../lib/gate/ports.ts';
import type { Places } from '../../../lib/pace/places.ts';
import { count, type EveryMember, text, timeMs } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const window = v.object({
  fromMs: timeMs,
  used: count,
  others: count,
  othersBefore: count,
} satisfies EveryMember<NonNullable<Places['window']>>);

export const PlacesSchema = v.object({
  writeToken: text,
  fullAtMs: timeMs,
  window: v.exactOptional(window),
  others: count,
  othersAtMs: timeMs,
} satisfies EveryMember<Places>);

/** The write of the gate by which callers take places. */
export function placeWrites(
  { update }: Pick<LedgerTable, 'update'>,
  placeOf: (connection: string) => ItemPlace<unknown>,
): Pick<Gates, 'replacePlaces'> {
  return {
    replacePlaces: (connection, next, seen) =>
      update(
        placeOf(connection),
        'SET places = :next',
        { ':next': next, ':seen': seen?.writeToken },
        seen === undefined ? 'attribute_not_exists(places)' : 'places.writeToken = :seen',
      ),
  };
}
