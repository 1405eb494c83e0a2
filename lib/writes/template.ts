import { isJsonObject } from '../json/json-value.ts';

/** What the placeholders of a template are filled from. */
export interface TemplateValues {
  readonly writeId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
const KNOWN_PLACEHOLDER = /^(?:writeId|params\.[A-Za-z_][\w-]*|body(?:\.[^.{}]+)+)$/;

/** Whether every brace belongs to a placeholder that can be filled. */
export function isTemplate(text: string): boolean {
  if (/[{}]/.test(text.replace(PLACEHOLDER, ''))) return false;
  return [...text.matchAll(PLACEHOLDER)].every(([, name = '']) => KNOWN_PLACEHOLDER.test(name));
}

/**
 * Fills a template.
 *
 * @param encode Applied to each value that is filled in.
 * @returns `undefined` when a value is missing or is no text, number or truth value.
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

/** A member's value, names joined by dots; `undefined` when there is none. */
export function memberAt(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split('.')) {
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** `undefined` for what is no scalar, and for whole numbers of which digits may have been lost. */
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
