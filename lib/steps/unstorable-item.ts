/**
 * The ledger refused an item for what is in it, such as its size: the same write would be refused again. Its place is
 * in what a port throws, and who works on the item ends it with a reason of its own.
 */
export class UnstorableItemError extends Error {
  override readonly name = 'UnstorableItemError';
  readonly code = 'ITEM_UNSTORABLE';
}
