import * as v from 'valibot';
import { parseJson } from '../../../lib/json/json-value.ts';

const LogLineSchema = v.object({
  level: v.picklist(['WARN', 'ERROR']),
  message: v.string(),
  errorName: v.optional(v.string()),
  errorMessage: v.optional(v.string()),
  reason: v.optional(v.string()),
});

/** A warning or an error in a function's log, as one sentence for a person; `undefined` for other lines. */
export function troubleIn(functionName: string, line: string): string | undefined {
  const parsed = v.safeParse(LogLineSchema, parseJson(line));
  if (!parsed.success) return undefined;
  const { message, errorName, errorMessage, reason } = parsed.output;
  const why = [errorName, errorMessage, reason].filter((part) => part !== undefined).join(': ');
  return `${functionName}: ${message}${why === '' ? '' : ` (${why})`}. It is tried again by itself.`;
}
