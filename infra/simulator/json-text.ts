import {
  type ExactJson,
  elementsIn,
  exactText,
  membersIn,
  readExactJson,
} from '../../lib/json/exact-json.ts';

/** Valid JSON with insignificant white space: two spaces a level. */
export function prettyJson(json: string): string {
  const read = readExactJson(json);
  return read.kind === 'json' ? indented(read.json, '\n') : json;
}

/** @param line Begins a line at this level. */
function indented(json: ExactJson, line: string): string {
  const deeper = `${line}  `;
  const of = (value: ExactJson) => indented(value, deeper);
  const inside =
    json.kind === 'object'
      ? [...membersIn(json)].map(([name, value]) => `${JSON.stringify(name)}: ${of(value)}`)
      : elementsIn(json).map(of);
  if (inside.length === 0) return exactText(json);
  const [open, close] = json.kind === 'object' ? '{}' : '[]';
  return `${open}${deeper}${inside.join(`,${deeper}`)}${line}${close}`;
}

/** The members of a valid JSON object: name to the value's own text, so that every digit and escape stays as it was. */
export function membersOf(json: string): Map<string, string> {
  const read = readExactJson(json);
  if (read.kind !== 'json') return new Map();
  return new Map([...membersIn(read.json)].map(([name, value]) => [name, exactText(value)]));
}

/** The object with these members; the inverse of {@link membersOf}. */
export function objectJson(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** The text of a JSON string, another value as it is written; undefined for `null` and for nothing. */
export function textOf(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null') return undefined;
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
