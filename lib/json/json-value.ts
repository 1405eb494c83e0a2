/**
 * Whether all that a value says are its own members. A list, a Map or another instance of a class keeps it elsewhere, and
 * would be read as an object without members.
 */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of all objects has none itself, also that of another realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
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
