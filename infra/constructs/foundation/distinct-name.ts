import { hash } from 'node:crypto';

/**
 * A name for a place that does not take every id: the id where it can be one. Otherwise a hash tells apart ids that
 * become the same name, such as `Team.A` and `team-a`.
 *
 * @param name What becomes of the id there.
 * @param separator Between the name and the hash.
 */
export function distinctName(id: string, name: string, separator: '-' | '_'): string {
  if (name === id) return name;
  return `${name}${separator}${hash('sha256', id).slice(0, 8)}`;
}
