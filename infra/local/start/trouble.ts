import * as v from 'valibot';

const LogLineSchema = v.object({
  level: v.picklist(['WARN', 'ERROR']),
  message: v.string(),
  errorName: v.optional(v.string()),
  errorMessage: v.optional(v.string()),
  reason: v.optional(v.string()),
});

/** What a line of a function's log says of trouble, for a person; `undefined` for all other lines. */
export function troubleIn(functionName: string, line: string): string | undefined {
  const parsed = v.safeParse(LogLineSchema, jsonOf(line));
  if (!parsed.success) return undefined;
  const { message, errorName, errorMessage, reason } = parsed.output;
  const why = [errorName, errorMessage, reason].filter((part) => part !== undefined).join(': ');
  return `${functionName}: ${message}${why === '' ? '' : ` (${why})`}. It is tried again by itself.`;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
