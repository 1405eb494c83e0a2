import type { ExportState } from './export-state.ts';

/** How many records the list has, as the latest answer says; `undefined` where it says nothing. */
export function lastTotalOf({ walk }: Pick<ExportState, 'walk'>): number | undefined {
  return walk.list.lastTotal;
}
