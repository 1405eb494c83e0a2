import * as v from 'valibot';
import type { Gates } from '../../../lib/gate/ports.ts';
import type { Bounds, PlaceChange, Places } from '../../../lib/pace/places.ts';
import { count, type EveryMember, timeMs } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

export const PlacesSchema = v.object({
  fullAtMs: timeMs,
  windowFromMs: timeMs,
  windowUsed: count,
  windowAsked: count,
  windowAskedBefore: count,
  othersTaken: count,
  othersAtMs: timeMs,
} satisfies EveryMember<Places>);

/**
 * The write of the gate by which callers take places. It cannot be repeated: where its answer is lost, the SDK makes it
 * again, and what it took the first time is lost.
 */
export function placeWrites<T extends { readonly places?: Places }>(
  { updateAndRead }: Pick<LedgerTable, 'updateAndRead'>,
  placeOf: (connection: string) => ItemPlace<T>,
): Pick<Gates, 'changePlaces'> {
  return {
    changePlaces: async (connection, change) => {
      const { expression, values, condition } = expressionOf(change);
      const gate = await updateAndRead(placeOf(connection), expression, values, condition);
      return gate?.places;
    },
  };
}

function expressionOf({ expected, set, add }: PlaceChange) {
  if (expected === 'none') {
    const values = { ':first': set };
    return { expression: 'SET places = :first', values, condition: 'attribute_not_exists(places)' };
  }
  const sets = Object.keys(set).map((name) => `places.${name} = :set_${name}`);
  const adds = Object.keys(add).map((name) => `places.${name} = places.${name} + :add_${name}`);
  const bounds = Object.entries<Bounds>(expected).flatMap(([name, { atLeast, atMost }]) => [
    ...(atLeast === undefined ? [] : [[`places.${name} >= :least_${name}`, atLeast] as const]),
    ...(atMost === undefined ? [] : [[`places.${name} <= :most_${name}`, atMost] as const]),
  ]);
  return {
    expression: `SET ${[...sets, ...adds].join(', ')}`,
    condition: bounds.map(([text]) => text).join(' AND '),
    values: Object.fromEntries([
      ...Object.entries(set).map(([name, value]) => [`:set_${name}`, value]),
      ...Object.entries(add).map(([name, value]) => [`:add_${name}`, value]),
      ...bounds.map(([text, value]) => [text.slice(text.indexOf(':')), value]),
    ]),
  };
}
