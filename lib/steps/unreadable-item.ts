/** Which item of the ledger it is, by its keys. */
export interface ItemName {
  readonly connection: string;
  /** The sort key, such as `export#<id>`. */
  readonly sort: string;
}

/** An item of the ledger is damaged, or another version of the functions wrote it. */
export class UnreadableItemError extends Error {
  override readonly name = 'UnreadableItemError';
  readonly code = 'LEDGER_ITEM_UNREADABLE';
  readonly item: ItemName;

  /** @param places Attributes that are wrong. The message shows no value. */
  constructor(item: ItemName, places: readonly string[]) {
    super(
      `The ledger item ${item.sort} of connection ${item.connection} cannot be read: ${places.join(', ')} is missing or of another kind than expected. Deploy the version that wrote it${adviceFor(item)}.`,
    );
    this.item = item;
  }
}

/**
 * Only an export can begin anew. With other items something is lost for good: with the gate the end of the wait and the
 * rejected key versions, with a write whether it was sent.
 */
function adviceFor({ sort }: ItemName): string {
  const isOfExport = sort === 'active-export' || sort.startsWith('export#');
  return isOfExport ? ', or delete the item and start the export again' : '; do not delete it';
}

/** What a query found. An item that cannot be read does not hide the others. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly unreadable: readonly UnreadableItemError[];
}

/** Separates what was read; where there was no item, nothing comes of it. */
export function listingOf<T extends object>(
  read: readonly (T | UnreadableItemError | undefined)[],
): Listing<T> {
  return {
    items: read.flatMap((each) => (each === undefined || isUnreadable(each) ? [] : [each])),
    unreadable: read.filter(isUnreadable),
  };
}

/** The result of a read, or the error if it says that the item cannot be read. */
export async function readable<T>(read: Promise<T>): Promise<T | UnreadableItemError> {
  try {
    return await read;
  } catch (error) {
    if (isUnreadable(error)) return error;
    throw error;
  }
}

export function isUnreadable(value: unknown): value is UnreadableItemError {
  return value instanceof UnreadableItemError;
}

/**
 * The ledger refused an item for what is in it, such as its size: the same write would be refused again. Its place is
 * in what a port throws, and who works on the item ends it with a reason of its own.
 */
export class UnstorableItemError extends Error {
  override readonly name = 'UnstorableItemError';
  readonly code = 'ITEM_UNSTORABLE';
}
