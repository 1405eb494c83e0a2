/**
 * What to say before the first request of an address that holds what is added to it, as `https://api.example.com/2.0/customers`
 * does: all requests would be answered by 404. An API may have such a path, so it is no error.
 */
export function addressNotes(baseUrl: string, resource: string): readonly string[] {
  const { origin, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '');
  const [meant] = path.split(/\/2\.0\//);
  const before =
    meant === path && path.endsWith(`/${resource}`) ? path.slice(0, -resource.length - 1) : meant;
  if (before === path || before === undefined) return [];
  return [
    `--base-url: requests go to ${origin}${path}/2.0/${resource}, since /2.0/${resource} is added to ${path}. If the API has no such path, give --base-url ${origin}${before}.`,
  ];
}
