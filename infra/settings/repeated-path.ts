import {
  type ConnectionTable,
  connectionSettingsOf,
} from '../../functions/services/connection-settings.ts';

/**
 * Whether an address holds what is added to it, as `https://api.example.com/2.0/customers` does: all requests would be
 * answered by 404. An API may have such a path, so it is no error.
 *
 * @returns The address that is probably meant, and the path that it has now.
 */
export function repeatedPath(
  baseUrl: string,
  resource: string,
): { readonly path: string; readonly meant: string } | undefined {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '');
  const [first] = path.split(/\/2\.0\//);
  const before =
    first === path && path.endsWith(`/${resource}`) ? path.slice(0, -resource.length - 1) : first;
  if (before === path || before === undefined) return undefined;
  return { path, meant: `${origin}${before}` };
}

/** What to warn of where settings have such an address. It is not quoted: it may hold a key. */
export function repeatedPaths(table: ConnectionTable): readonly string[] {
  const withOwn = Object.keys(table.connections).filter(
    (name) => table.connections[name]?.baseUrl !== undefined,
  );
  return [undefined, ...withOwn].flatMap((connection) => {
    const { api, lists } = connectionSettingsOf(table, connection);
    const { baseUrl } = api;
    const resource = [...lists.values()]
      .map((list) => list.resource)
      .find((each) => baseUrl !== undefined && repeatedPath(baseUrl, each) !== undefined);
    if (resource === undefined) return [];
    const whose = connection === undefined ? 'all connections' : `the connection ${connection}`;
    return [
      `The baseUrl of ${whose} holds a path that is added to it: requests go to /2.0/${resource} behind that path. If the API has no such path, end baseUrl before /2.0/ and before the resource, as https://api.example.com does.`,
    ];
  });
}
