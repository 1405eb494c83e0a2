import { SettingError } from '../errors.ts';
import { type ExactJson, elementsIn, membersIn, readExactJson } from './exact-json.ts';
import { parseJson } from './json-value.ts';

/**
 * The value of a JSON text that a person wrote; `undefined` when it is not JSON.
 *
 * @param setting What the text was given as.
 * @param shown What a message shows of a place in it. @default all of it
 * @throws SettingError for a member that is there twice: `JSON.parse` drops all but the last one without a word, and
 *   with it perhaps half of the connections.
 */
export function parseGiven(
  text: string,
  setting: string,
  shown = (place: string): string => place,
): unknown {
  const read = readExactJson(text);
  const twice = read.kind === 'json' ? placeOfTwice(read.json, '') : undefined;
  if (twice === undefined) return parseJson(text);
  throw new SettingError(
    setting,
    `${shown(twice)} is there more than once, and no rule says which one counts`,
  );
}

function placeOfTwice(json: ExactJson, place: string): string | undefined {
  const names = new Set<string>();
  for (const [name, value] of membersIn(json)) {
    const here = place === '' ? name : `${place}.${name}`;
    const twice = names.has(name) ? here : placeOfTwice(value, here);
    if (twice !== undefined) return twice;
    names.add(name);
  }
  for (const [index, element] of elementsIn(json).entries()) {
    const twice = placeOfTwice(element, `${place}[${index}]`);
    if (twice !== undefined) return twice;
  }
  return undefined;
}
