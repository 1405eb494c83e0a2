import { SettingError } from '../errors.ts';

/** Every resource lies under this path (the API's specification, "Base"). */
const API_VERSION_PATH = '2.0';

/**
 * Checks a base URL: `https:`, a host, optionally a port and a path.
 *
 * @returns The URL of `{base_url}/2.0/`.
 * @throws SettingError naming `baseUrl`.
 */
export function apiRootOf(baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  const fail = (problem: string): never => {
    throw new SettingError(
      'baseUrl',
      `${problem}. Expected the part before /2.0/, such as https://api.example.com`,
    );
  };
  if (url === null) return fail('this is not an absolute URL');
  // No exception for localhost: the key would travel in the clear.
  if (url.protocol !== 'https:') return fail('the scheme must be https');
  if (url.username !== '' || url.password !== '')
    return fail('user name and password do not belong here');
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(baseUrl))
    return fail('a query or fragment does not belong here');
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith(`/${API_VERSION_PATH}`))
    return fail(`it ends with /${API_VERSION_PATH}, which is added by itself`);
  // Two slashes at the beginning of a path would be read as the name of another host.
  if (path.includes('//')) return fail('the path has an empty segment');
  const root = new URL(url.href);
  root.pathname = `${path}/${API_VERSION_PATH}/`;
  return root;
}

/**
 * The URL of a resource such as `customers` or `customers/42/orders`. Characters with a meaning in a URL
 * belong percent-encoded into a segment (`encodeURIComponent`).
 *
 * @throws SettingError naming `resource` for anything that would leave `{base_url}/2.0/`.
 */
export function resourceUrl(apiRoot: URL, resource: string): URL {
  const segments = String(resource).split('/');
  const isPlain = segments.every((segment) =>
    /^(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})+$/i.test(segment),
  );
  const url = isPlain ? URL.parse(`./${resource}`, apiRoot.href) : null;
  // Checked on the result, since %2e%2e is a parent folder to a URL parser too.
  const expected = `${apiRoot.pathname}${resource}`;
  if (url === null || url.origin !== apiRoot.origin || url.pathname !== expected) {
    throw new SettingError(
      'resource',
      `${JSON.stringify(resource)} is not a resource path. Expected segments joined by single slashes, such as customers or customers/42, each percent-encoded`,
    );
  }
  return url;
}
