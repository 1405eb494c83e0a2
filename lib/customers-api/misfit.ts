import { textIn } from '../errors.ts';
import { isJsonObject } from '../json/json-value.ts';
import { parseExactly } from '../json/parse-exactly.ts';
import { expectationOf } from './expectation.ts';
import { idOf } from './record-places.ts';
import type { SchemaIssue } from './standard-schema.ts';

/**
 * A record that does not fit the schema. Printed, logged or turned into JSON, it shows `path` and `expected`, and
 * nothing of the record: `id` and `text` have to be asked for.
 */
export interface Misfit {
  readonly kind: 'misfit';
  /**
   * Where the first thing is that does not fit: names of members and indices of lists. A name that the schema does not
   * have, such as a key of a map, stands as `*`: it is content of the record. So does a name of digits alone.
   */
  readonly path: readonly (string | number)[];
  /** What the schema expected there, in words of the schema alone, such as `string` or `at least 12`. */
  readonly expected: string;
  /** The exact JSON text of the record. */
  readonly text: string;
  /** The JSON text of the record's id (`idKey`); `undefined` where there is none. */
  readonly id: string | undefined;
}

/** A record as it came. */
export interface RecordText {
  readonly text: string;
  readonly idKey: string;
}

/** Makes the misfit of a record with the first of its issues. @param words Those of the schema, see `wordsOf`. */
export function misfitOf(
  record: RecordText,
  words: ReadonlySet<string>,
  issues: readonly SchemaIssue[],
): Misfit {
  const [issue = { message: '' }] = issues;
  const keys = Array.from(issue.path ?? [], (step) => (typeof step === 'object' ? step.key : step));
  const [path, isLongNumber] = placeOf(keys, record.text, words);
  const expected = expectationOf(issue, words);
  return new HiddenRecord(record, path, isLongNumber ? `${expected}${LONG_NUMBER}` : expected);
}

/** Makes the misfit of a record over which the schema threw. The error may quote the record, so only its name is told. */
export function thrownMisfit(record: RecordText, error: unknown): Misfit {
  const own = error instanceof Error ? textIn(error, 'name') : undefined;
  const [name = 'an error'] = /^\w{1,40}$/.exec(own ?? '') ?? [];
  return new HiddenRecord(record, [], `a record over which the schema does not throw (${name})`);
}

const LONG_NUMBER =
  ' (the record has a number with more digits than JavaScript holds, which is given as text)';

/** Members of a class with private fields show up neither in JSON nor in `console.log`. */
class HiddenRecord implements Misfit {
  readonly kind = 'misfit';
  readonly path: Misfit['path'];
  readonly expected: string;
  readonly #record: RecordText;

  constructor(record: RecordText, path: Misfit['path'], expected: string) {
    this.path = path;
    this.expected = expected;
    this.#record = record;
  }

  get text(): string {
    return this.#record.text;
  }

  get id(): string | undefined {
    return idOf(this.#record.text, this.#record.idKey);
  }
}

/** What may be shown of a path, and whether it leads to a number that was given as text. */
function placeOf(
  keys: readonly PropertyKey[],
  text: string,
  words: ReadonlySet<string>,
): readonly [path: Misfit['path'], isLongNumber: boolean] {
  let given = parseExactly(text);
  let plain: unknown = JSON.parse(text);
  const path = keys.map((key) => {
    const isIndex = Array.isArray(given) && typeof key === 'number' && Object.hasOwn(given, key);
    given = memberOf(given, key);
    plain = memberOf(plain, key);
    // Bounds and versions are words too, so a number may be a key of a map.
    const isNamed = typeof key === 'string' && words.has(key) && !/^\d+$/.test(key);
    return isIndex || isNamed ? key : '*';
  });
  return [path, typeof plain === 'number' && typeof given === 'string'];
}

function memberOf(holder: unknown, key: PropertyKey): unknown {
  const isHolder = Array.isArray(holder) || isJsonObject(holder);
  return isHolder && Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined;
}
