import * as v from 'valibot';

/**
 * Where a message or an event is wrong, such as `exportId, step`. Members that the schema does not know have names of
 * the sender's, who may have put anything there: they are given back only if they are words.
 *
 * @param whole What it is called when no member is to be named.
 */
export function wrongPlaces(issues: readonly v.BaseIssue<unknown>[], whole: string): string {
  const places = issues.map((issue) => {
    const place = v.getDotPath(issue) ?? '';
    return /^[\w.-]{1,64}$/.test(place) ? place : whole;
  });
  return [...new Set(places)].join(', ');
}
