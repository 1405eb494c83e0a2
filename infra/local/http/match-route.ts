/** Which requests a route takes. */
export interface RouteKey {
  /** As the template has it, such as `GET /connections/{connection}/exports`. */
  readonly routeKey: string;
  /** `ANY` for every method. */
  readonly method: string;
  /** Segments, of which `{name}` stands for one and `{name+}`, the last, for all that follow; or `$default`. */
  readonly path: string;
}

export interface RouteMatch<Route extends RouteKey> {
  readonly route: Route;
  /** Percent-decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds the most specific route (API Gateway developer guide, "Routing API requests"): by segment, fixed
 * ones before parameters before greedy ones, then the method itself before `ANY`, `$default` last.
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
  const found = routes
    .filter((route) => [method, 'ANY'].includes(route.method) && takes(route.path, segments))
    .toSorted((a, b) => compare(rankOf(a), rankOf(b)))
    .at(0);
  if (found === undefined) return undefined;
  const parameters = parametersOf(found.path, segments);
  return parameters === undefined ? 'malformed' : { route: found, parameters };
}

function takes(template: string, segments: readonly string[]): boolean {
  if (template === '$default') return true;
  const expected = template.split('/');
  const isGreedy = expected.at(-1)?.endsWith('+}') === true;
  if (isGreedy ? segments.length < expected.length : segments.length !== expected.length) {
    return false;
  }
  return expected.every((one, index) =>
    one.startsWith('{') ? segments[index] !== '' : one === segments[index],
  );
}

function rankOf({ path, method }: RouteKey): readonly number[] {
  if (path === '$default') return [4];
  const segments = path.split('/').map((one) => {
    if (one.endsWith('+}')) return 3;
    return one.startsWith('{') ? 2 : 1;
  });
  return [...segments, method === 'ANY' ? 1 : 0];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((rank, at) => rank !== b[at]);
  return (a[index] ?? 0) - (b[index] ?? 0);
}

function parametersOf(
  template: string,
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, one] of template.split('/').entries()) {
    const name = /^\{([^+}]+)\+?\}$/.exec(one)?.[1];
    if (name === undefined) continue;
    const value = one.endsWith('+}') ? segments.slice(index).join('/') : segments[index];
    try {
      parameters[name] = decodeURIComponent(value ?? '');
    } catch {
      return undefined;
    }
  }
  return parameters;
}
