import * as v from 'valibot';

/** An item of the ledger is not what this version of the functions writes. */
class LedgerItemError extends Error {
  override readonly name = 'LedgerItemError';
  readonly code = 'LEDGER_ITEM_UNREADABLE';
}

/**
 * Checks an item on its way in.
 *
 * @throws LedgerItemError naming the item and the attributes, without a value.
 */
export function parseItem<T>(schema: v.GenericSchema<unknown, T>, value: unknown, what: string): T {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const places = [
    ...new Set(parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the whole item')),
  ];
  throw new LedgerItemError(
    `The ledger item ${what} cannot be read: ${places.join(', ')} is missing or of another kind than expected. Deploy the version that wrote it, or delete the item and start the export again.`,
  );
}
