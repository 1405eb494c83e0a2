import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';

/**
 * Parses what came from outside by a schema.
 *
 * @throws SettingError with `setting` = `place`, naming every member that does not fit.
 */
export function parseBorder<const Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  place: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new SettingError(place, result.issues.map(problemOf).join('; '));
}

function problemOf(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? '(whole)';
  return issue.type === 'strict_object' && issue.expected === 'never'
    ? `the local stack does not run the property ${path}`
    : `${path}: ${issue.message}`;
}
