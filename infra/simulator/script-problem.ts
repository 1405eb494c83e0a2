import type * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';

/** What is wrong in a script, by its place in it, such as `faults[2].fault.status`. */
export function scriptProblem(name: string, issue: v.BaseIssue<unknown>): SettingError {
  const path = (issue.path ?? []).map(({ key }) =>
    typeof key === 'number' ? `[${key}]` : `.${String(key)}`,
  );
  return new SettingError(`${name}${path.join('')}`, problemOf(issue));
}

function problemOf({ type, expected, received }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'is not known here. Check its spelling.';
  if (type === 'strict_object' && received === 'undefined') return 'is missing.';
  return `expected ${type === 'integer' ? 'an integer' : expected}, got ${received}.`;
}
