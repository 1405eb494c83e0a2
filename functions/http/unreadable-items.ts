import type { UnreadableItemError } from '../../lib/steps/unreadable-item.ts';
import { errorFields, type Log } from '../log/log.ts';

/** The ledger items that a list leaves out since they cannot be read, such as `export#<id>`. Logs what is wrong. */
export function unreadableItems(
  errors: readonly UnreadableItemError[],
  log: Log,
): readonly string[] {
  for (const error of errors) log.warn('Left out of a list', errorFields(error));
  return errors.map(({ item }) => item.sort);
}
