/** What is expected instead of a list that a connection does not have; `undefined` for one that it has. */
export function unknownList(lists: ReadonlyMap<string, unknown>, list: string): string | undefined {
  if (lists.has(list)) return undefined;
  const known = [...lists.keys()].join(', ');
  return `expected a list of this connection, which has ${known === '' ? 'none' : known}. Others are added by the setting lists`;
}
