import {
  type ExactJson,
  exactText,
  onlyMember,
  readExactJson,
  stringIn,
} from '../json/exact-json.ts';

export interface TemplateValues {
  readonly writeId: string;
  readonly params: Readonly<Record<string, string>>;
  /** JSON text; absent when the write has no body. */
  readonly bodyText?: string | undefined;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
const KNOWN_PLACEHOLDER = /^(?:writeId|params\.[A-Za-z_][\w-]*|body(?:\.[^.{}]+)+)$/;

/** Whether every brace belongs to a known placeholder. */
export function isTemplate(text: string): boolean {
  if (/[{}]/.test(text.replace(PLACEHOLDER, ''))) return false;
  return placeholdersIn(text).every((name) => KNOWN_PLACEHOLDER.test(name));
}

/**
 * @param encode Applied to each value; `undefined` for one that has no place there.
 * @returns `undefined` when a value is missing, is there twice, or is not text, a number or a boolean.
 */
export function fillTemplate(
  template: string,
  values: TemplateValues,
  encode: (value: string) => string | undefined = (value) => value,
): string | undefined {
  let isWhole = true;
  const filled = template.replace(PLACEHOLDER, (_, name: string) => {
    const text = valueAt(name, values);
    const encoded = text === undefined ? undefined : encode(text);
    if (encoded === undefined) isWhole = false;
    return encoded ?? '';
  });
  return isWhole ? filled : undefined;
}

/** What stands in the braces of a text, in its order. */
export function placeholdersIn(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

export function paramsIn(template: string): readonly string[] {
  return placeholdersIn(template)
    .filter((name) => name.startsWith(PARAMS))
    .map((name) => name.slice(PARAMS.length));
}

/**
 * The value at a path of member names joined by dots; `undefined` where a name is there twice too, since
 * readers of JSON differ in which one counts.
 */
export function memberAt(json: ExactJson, path: string): ExactJson | undefined {
  let at: ExactJson | undefined = json;
  for (const name of path.split('.')) {
    at = at && onlyMember(at, name);
  }
  return at;
}

/** The characters of a string, the digits of a number as they stand there; `undefined` for objects and arrays. */
export function scalarText(json: ExactJson): string | undefined {
  if (json.kind === 'string') return stringIn(json);
  return json.kind === 'number' || json.kind === 'literal' ? exactText(json) : undefined;
}

const PARAMS = 'params.';
const BODY = 'body.';

function valueAt(name: string, { writeId, params, bodyText }: TemplateValues): string | undefined {
  if (name === 'writeId') return writeId;
  if (name.startsWith(PARAMS)) {
    const param = name.slice(PARAMS.length);
    return Object.hasOwn(params, param) ? params[param] : undefined;
  }
  const read = bodyText === undefined ? undefined : readExactJson(bodyText);
  const member = read?.kind === 'json' ? memberAt(read.json, name.slice(BODY.length)) : undefined;
  return member && scalarText(member);
}
