import { defined } from '../../defined.ts';
import { startWalk } from '../walk-state.ts';
import type { FastWalk } from './walk-schema.ts';

export function startFast(options: {
  readonly firstPage: number;
  readonly perPage?: number;
  readonly idKey?: string;
}): FastWalk {
  const { firstPage, perPage, idKey } = options;
  return { kind: 'fast', list: startWalk(firstPage, perPage), ...defined({ idKey }) };
}
