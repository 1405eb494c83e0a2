import { FastWalker } from './fast-walker.ts';
import { VerifiedWalker } from './verified-walker.ts';
import type { Walk, Walker } from './walker.ts';

/** @param state As `newWalk` or a walker gave it. */
export function openWalk(state: Walk): Walker {
  return state.kind === 'fast' ? new FastWalker(state) : new VerifiedWalker(state);
}
