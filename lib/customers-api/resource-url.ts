import { SettingError } from '../errors.ts';

/** Every resource lies under this path (the API's specification, "Base"). */
const API_VERSION_PATH = '2.0';

/** Ports that fetch blocks (Fetch standard, "bad port"); port 0 cannot be asked either. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

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
  if (BLOCKED_PORTS.has(Number(url.port)))
    return fail(`fetch sends nothing to port ${url.port}, which belongs to another protocol`);
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
 * A segment of dots alone, to a server that decodes slashes and backslashes before it looks for segments, or that takes
 * parameters off behind a semicolon.
 */
const LEAVES = /(^|\/|%2f|%5c)(\.|%2e){1,2}($|\/|%2f|%5c|;|%3b)/i;

/**
 * The URL of a resource such as `customers` or `customers/42/orders`. Characters with a meaning in a URL
 * belong percent-encoded into a segment (`encodeURIComponent`).
 *
 * @throws SettingError naming `resource` for anything that would leave `{base_url}/2.0/`.
 */
export function resourceUrl(apiRoot: URL, resource: string): URL {
  if (typeof resource !== 'string') {
    throw new SettingError('resource', 'expected text such as customers or customers/42');
  }
  const segments = resource.split('/');
  const isPlain = segments.every((segment) =>
    /^(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})+$/i.test(segment),
  );
  const isInside = isPlain && !LEAVES.test(resource);
  const url = isInside ? URL.parse(`./${resource}`, apiRoot.href) : null;
  // Checked on the result, since %2e%2e is a parent folder to a URL parser too.
  const expected = `${apiRoot.pathname}${resource}`;
  if (url === null || url.origin !== apiRoot.origin || url.pathname !== expected) {
    // It is not quoted: it may hold the key, as customers?api_key=… does.
    throw new SettingError(
      'resource',
      'expected segments joined by single slashes, such as customers or customers/42, each percent-encoded; parameters go into query',
    );
  }
  return url;
}

/** Whether {@link resourceUrl} takes it: that does not depend on the root. */
export function isResource(resource: string): boolean {
  try {
    resourceUrl(ANY_ROOT, resource);
    return true;
  } catch (error) {
    if (error instanceof SettingError) return false;
    throw error;
  }
}

const ANY_ROOT = new URL('https://api.example.com/2.0/');
