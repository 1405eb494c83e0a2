import * as v from 'valibot';
import type { Gate, Gates } from '../../../lib/gate/ports.ts';
import type { Bounds, PlaceChange, Places } from '../../../lib/pace/places.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

/** Any numbers do: times and counts that cannot be are outlived. DynamoDB stores none that is not finite. */
export const PlacesSchema = v.object({
  fullAtMs: v.number(),
  windowFromMs: v.number(),
  windowUsed: v.number(),
  windowAsked: v.number(),
  windowAskedBefore: v.number(),
  othersTaken: v.number(),
  othersAtMs: v.number(),
} satisfies Readonly<Record<keyof Places, v.GenericSchema>>);

/** There are no places, or none that {@link PlacesSchema} takes: the next write replaces them. */
const NO_PLACES = `NOT (${Object.keys(PlacesSchema.entries)
  .map((name) => `attribute_type(places.${name}, :number)`)
  .join(' AND ')})`;

/**
 * The write of the gate by which callers take places. It cannot be repeated: where its answer is lost, the SDK makes it
 * again, and what it took the first time is lost.
 */
export function placeWrites<T>(
  table: Pick<LedgerTable, 'updateAndRead'>,
  placeOf: (connection: string) => ItemPlace<T>,
  gateOf: (stored: T) => Gate,
): Pick<Gates, 'changePlaces'> {
  return {
    changePlaces: async (connection, change) => {
      const { expression, values, condition } = expressionOf(change);
      const stored = await table.updateAndRead(placeOf(connection), expression, values, condition);
      return stored && gateOf(stored);
    },
  };
}

function expressionOf({ expected, set, add }: PlaceChange) {
  if (expected === 'none') {
    const values = { ':first': set, ':number': 'N' };
    return { expression: 'SET places = :first', values, condition: NO_PLACES };
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
