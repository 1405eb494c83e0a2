import type { ChangeState } from '../../lib/changes/change-state.ts';
import { defined } from '../../lib/defined.ts';

/** What a line of the log says of changes; of no record. */
export function changeFacts(state: ChangeState | undefined) {
  if (state === undefined) return {};
  const { list, status, since, counts, next, reason } = state;
  const { added, changed, removed } = counts ?? {};
  return {
    list,
    status,
    ...defined({ sinceExportId: since?.exportId, added, changed, removed, reason }),
    next,
  };
}
