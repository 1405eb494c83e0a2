export interface RouteKey {
  /** As the template has it, such as `GET /connections/{connection}/exports`. */
  readonly routeKey: string;
  /** `ANY` for every method. */
  readonly method: string;
  /** Segments, of which `{name}` stands for any one. */
  readonly path: string;
}

export interface RouteMatch<Route extends RouteKey> {
  readonly route: Route;
  /** Percent-decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds the most specific route (API Gateway developer guide, "Routing API requests"): by segment, fixed
 * ones before parameters, then the method itself before `ANY`.
 *
 * @param path As it was sent, without its query.
 * @returns `undefined` when no route takes it, `malformed` when a parameter cannot be percent-decoded.
 */
export function matchRoute<Route extends RouteKey>(
  routes: readonly Route[],
  method: string,
  path: string,
): RouteMatch<Route> | 'malformed' | undefined {
  const segments = path.split('/');
  const [found] = routes
    .filter((route) => [method, 'ANY'].includes(route.method) && takes(route.path, segments))
    .toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
  if (found === undefined) return undefined;
  const parameters = parametersOf(found.path, segments);
  return parameters === undefined ? 'malformed' : { route: found, parameters };
}

function takes(template: string, segments: readonly string[]): boolean {
  const expected = template.split('/');
  if (segments.length !== expected.length) return false;
  return expected.every((one, index) =>
    isParameter(one) ? segments[index] !== '' : one === segments[index],
  );
}

/** For two routes that take the same path: a digit for each segment, then one for the method; less goes first. */
function rankOf({ path, method }: RouteKey): string {
  const segments = path.split('/').map((one) => (isParameter(one) ? 1 : 0));
  return [...segments, method === 'ANY' ? 1 : 0].join('');
}

function parametersOf(
  template: string,
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const named = template
    .split('/')
    .flatMap((one, index) => (isParameter(one) ? [[one.slice(1, -1), segments[index] ?? '']] : []));
  try {
    return Object.fromEntries(named.map(([name, value = '']) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}
