import { defined } from '../../defined.ts';
import { type ListWalk, startWalk } from '../walk-state.ts';

/** One pass over the list, page after page. */
export interface FastWalk {
  readonly kind: 'fast';
  readonly list: ListWalk;
  readonly idKey?: string;
}

export function startFast(options: {
  readonly firstPage: number;
  readonly perPage?: number;
  readonly idKey?: string;
}): FastWalk {
  const { firstPage, perPage, idKey } = options;
  return { kind: 'fast', list: startWalk(firstPage, perPage), ...defined({ idKey }) };
}
