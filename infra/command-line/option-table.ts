import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';
import { parseGiven } from '../../lib/json/parse-given.ts';
import { SHORTEST_KEY_TO_DETECT } from '../../lib/key/redaction.ts';
import { checkRange, type NumberRange } from '../../lib/number-range.ts';

/** One option of a program. Parsing, help, errors and the tables of the docs come from it. */
export interface Option<Value> {
  /** Stands for the value in the help, such as `N`; a flag has none. */
  readonly value?: string;
  /** What it is, as the help says it. */
  readonly what: string;
  /** What holds without it. */
  readonly otherwise?: string;
  /** What the value may be, where that is one of many names. */
  readonly choices?: readonly string[];
  /** Whether there are settings in its value, so that a problem of one names its place in it. @default false */
  readonly hasPlaces?: true;
  /**
   * Reads the value.
   *
   * @param name The option with its hyphens.
   * @throws SettingError naming the option.
   */
  readonly read: (text: string, name: string) => Value;
}

/** Options by their names without hyphens, in the order of the help. `--help` needs no entry. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** What was given; `undefined` for an option that was not. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']> | undefined;
};

/** An option without a value. */
export function flag(what: string): Option<true> {
  return { what, read: () => true };
}

/**
 * An option with a value.
 *
 * @param value Stands for it in the help, such as `N`.
 * @param otherwise What holds without the option.
 */
export function option<Value>(
  value: string,
  what: string,
  read: Option<Value>['read'],
  otherwise?: string | number,
): Option<Value> {
  return { value, what, read, ...defined({ otherwise: otherwise?.toString() }) };
}

/**
 * An option whose value is a JSON object of settings. Whoever takes the settings checks its members.
 *
 * @param example JSON text of one.
 */
export function objectOption(
  what: string,
  example: string,
  otherwise?: string,
): Option<Readonly<Record<string, unknown>>> {
  const read = (given: string, name: string) => {
    const value = parseGiven(given, name, shownPlace);
    if (isJsonObject(value)) return value;
    throw new SettingError(name, `expected a JSON object such as ${example}, got ${gotOf(given)}`);
  };
  return { ...option('JSON', `${what}, such as ${example}`, read, otherwise), hasPlaces: true };
}

export function text(given: string, name: string): string {
  if (given !== '') return given;
  throw new SettingError(name, 'expected a value, got nothing');
}

/** Reads decimal digits. @param range For a number that nothing checks later. */
export function number(range?: NumberRange) {
  return (given: string, name: string): number => {
    const value = /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
    const written = gotOf(given);
    if (range !== undefined) checkRange(name, value, range, written);
    if (!Number.isNaN(value)) return value;
    throw new SettingError(name, `expected a number, got ${written}`);
  };
}

/** What was given, for a message. What is as long as a key may be one in the wrong place, unless it is a number. */
export function gotOf(given: string): string {
  if (given === '') return 'nothing';
  const isShown = isShort(given) || /^[-+.,:\de]{1,12}$/i.test(given);
  return isShown ? given : `other text of ${given.length} characters`;
}

/** Whether a text is too short to be taken for a key. */
export function isShort(given: string): boolean {
  return given.length < SHORTEST_KEY_TO_DETECT;
}

/** Of an option, a setting or a list: any other text that was given as a name may be the key, and is not shown. */
export const SHOWN_NAME = /^[a-z][a-z_-]{0,29}$/i;

/** A place such as `lists.invoices.perPage` among settings that were given, for a message. */
export function shownPlace(place: string): string {
  return place.replace(/[^.[\]]+/g, (part) => {
    const isShown = SHOWN_NAME.test(part) || /^\d{1,4}$/.test(part);
    return isShown ? part : `(a name of ${part.length} characters)`;
  });
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return (given: string, name: string): Choice => {
    const choice = choices.find((each) => each === given);
    if (choice !== undefined) return choice;
    const list = choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or ');
    throw new SettingError(name, `expected ${list}, got ${gotOf(given)}`);
  };
}

export function nameBy(pattern: RegExp) {
  return (given: string, name: string): string => {
    if (pattern.test(given)) return given;
    const expected = 'expected 1 to 63 small letters, digits and hyphens, a hyphen not first';
    throw new SettingError(name, `${expected}, got ${gotOf(given)}`);
  };
}

/**
 * The problem by the option instead of the setting that came from it, and by the place in the value where that has
 * places. A problem that names an option already stays as it is.
 *
 * @param others Options of settings that are not called like their option, by the setting's name.
 */
export function namedByOption(
  table: OptionTable,
  error: SettingError,
  others: Readonly<Record<string, string>> = {},
): SettingError {
  const { setting } = error;
  const [, named, inIt = ''] = /^(--[a-z-]+)(.*)$/s.exec(setting) ?? [];
  if (named !== undefined) return error.at(`${named}${shownPlace(inIt)}`);
  let found: string | undefined;
  for (const { part, end } of partsOf(setting)) {
    const name = others[part] ?? part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (!Object.hasOwn(table, name)) continue;
    found = name;
    // What follows are names in its value, whatever options are called like them.
    if (table[name]?.hasPlaces === true)
      return error.at(`--${name}${shownPlace(setting.slice(end))}`);
  }
  return found === undefined ? error : error.at(`--${found}`);
}

/** The names of a path such as `connections.demo.perPage`, but those that a user chose for a connection or a list. */
function partsOf(setting: string): readonly { readonly part: string; readonly end: number }[] {
  let isChosen = false;
  return [...setting.matchAll(/[^.[\]]+/g)].flatMap(({ 0: part, index }) => {
    const parts = isChosen ? [] : [{ part, end: index + part.length }];
    isChosen = !isChosen && ['connections', 'lists'].includes(part);
    return parts;
  });
}

/** A text with options in place of the settings in it, such as `--base-url` for `baseUrl`. */
export function withOptionNames(table: OptionTable, text: string): string {
  // Settings of one word are words of the text too.
  const names = Object.keys(table).filter((name) => name.includes('-'));
  const camelCase = (name: string) =>
    name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return names.reduce(
    (all, name) => all.replace(new RegExp(`\\b${camelCase(name)}\\b`, 'g'), `--${name}`),
    text,
  );
}
