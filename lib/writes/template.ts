import { isJsonObject } from '../json/json-value.ts';

export interface TemplateValues {
  readonly writeId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
const KNOWN_PLACEHOLDER = /^(?:writeId|params\.[A-Za-z_][\w-]*|body(?:\.[^.{}]+)+)$/;

/** Whether every brace belongs to a known placeholder. */
export function isTemplate(text: string): boolean {
  if (/[{}]/.test(text.replace(PLACEHOLDER, ''))) return false;
  return [...text.matchAll(PLACEHOLDER)].every(([, name = '']) => KNOWN_PLACEHOLDER.test(name));
}

/**
 * @param encode Applied to each value.
 * @returns `undefined` when a value is missing, or is not text, a number or a boolean.
 */
export function fillTemplate(
  template: string,
  values: TemplateValues,
  encode: (value: string) => string = (value) => value,
): string | undefined {
  let isWhole = true;
  const filled = template.replace(PLACEHOLDER, (_, name: string) => {
    const text = scalarText(valueAt(name, values));
    if (text === undefined) isWhole = false;
    return encode(text ?? '');
  });
  return isWhole ? filled : undefined;
}

/** The value at a path of member names joined by dots. */
export function memberAt(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split('.')) {
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** `undefined` for objects and arrays, and for whole numbers that may have lost digits. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

function valueAt(name: string, { writeId, params, body }: TemplateValues): unknown {
  if (name === 'writeId') return writeId;
  if (name.startsWith('params.')) return memberAt(params, name.slice('params.'.length));
  return memberAt(body, name.slice('body.'.length));
}
