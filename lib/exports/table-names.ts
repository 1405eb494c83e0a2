/** The table over all exports: a row is a record, its column `record` the exact JSON text. */
export const EXPORTS_TABLE = 'exports';

/** The view of the newest complete export of a list. Names of lists have no `_`, so no two lists share one. */
export function latestView(list: string): string {
  return `latest_${list.replaceAll('-', '_')}`;
}

/** Whether a view of some list has this name. Names of lists begin with a letter or digit; Athena ignores case. */
export function isLatestView(name: string): boolean {
  return /^latest_[^_]/i.test(name);
}
