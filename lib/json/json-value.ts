export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The value of a JSON text; `undefined` when the text is not JSON. Digits beyond 2^53 are lost: records are
 * never read with it. The engine's error is not passed on, since its message quotes the text.
 */
export function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
