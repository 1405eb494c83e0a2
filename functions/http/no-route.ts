import { type Problem, problem } from './problem.ts';

/** A route as the router takes it; `{name}` stands for one segment. */
export interface RoutePlace {
  readonly method: string;
  readonly path: string;
}

/** The problem of a request that no route takes: 405 when only the method is wrong, else 404. */
export function noRoute(routes: readonly RoutePlace[], asked: RoutePlace): Problem {
  const methods = routes.filter(({ path }) => isAt(path, asked.path)).map(({ method }) => method);
  if (methods.length === 0) {
    const known = [...new Set(routes.map(({ path }) => path))].join(', ');
    return problem('unknown-route', `path: expected one of ${known}.`, { field: 'path' });
  }
  // RFC 9110 section 15.5.6: the answer names the methods that there are.
  const allow = methods.sort().join(', ');
  const detail = `method: expected ${allow}.`;
  return problem('method-not-allowed', detail, { field: 'method' }, { Allow: allow });
}

function isAt(template: string, path: string): boolean {
  const expected = template.split('/');
  const given = path.replace(/(?<=.)\/$/, '').split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, index) => segment.startsWith('{') || segment === given[index])
  );
}
