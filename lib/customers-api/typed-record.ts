import * as v from 'valibot';
import { parseExactly } from '../json/parse-exactly.ts';
import { type Misfit, misfitOf, type RecordText, thrownMisfit } from './misfit.ts';
import { parseOptions } from './parse-options.ts';
import { idOf } from './record-places.ts';
import { wordsOf } from './schema-words.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';

/** A record as it came, and as a value. */
export interface TypedRecord<Value = unknown> {
  readonly kind: 'record';
  /**
   * What the schema made of the record; without a schema what `JSON.parse` makes of it, when it is first asked for.
   * In both, a number that JavaScript does not hold exactly, such as 9007199254740993, is given as its JSON text.
   */
  readonly value: Value;
  /** The exact JSON text, without insignificant white space. */
  readonly text: string;
  /**
   * The JSON text of the record's id (`idKey`): every digit of a number, a string with its quotes; of two members with
   * its name the first one, while `value` has the last. `undefined` where there is none, and for `null` and `""`.
   */
  readonly id: string | undefined;
}

/** A record that was read with a schema. */
export type CheckedRecord<Output> = TypedRecord<Output> | Misfit;

/** Of what a schema is asked for: `schema` is required, as the answer has another type with it. */
export interface WithSchema<Output> {
  /** Of any library that keeps to Standard Schema, such as valibot, zod and arktype. It may be asynchronous. */
  readonly schema: StandardSchemaV1<unknown, Output>;
}

/** Makes a record without a schema. Nothing is parsed before `value` is asked for. */
export function uncheckedRecord({ text, idKey }: RecordText): TypedRecord {
  let parsed: { readonly value: unknown } | undefined;
  return {
    kind: 'record',
    text,
    get value() {
      parsed ??= { value: parseExactly(text) };
      return parsed.value;
    },
    get id() {
      return idOf(text, idKey);
    },
  };
}

/** Reads a record with a schema. What the schema throws is a misfit too: its message may quote the record. */
export async function checkedRecord<Output>(
  record: RecordText,
  schema: StandardSchemaV1<unknown, Output>,
): Promise<CheckedRecord<Output>> {
  const { text, idKey } = record;
  const parsed = parseExactly(text);
  try {
    // Before the schema sees a record: it may remember what it saw.
    const words = wordsOf(schema);
    // Whatever it is: a promise need not be one of this realm's class, and not waited for would pass unchecked.
    const result = await schema['~standard'].validate(parsed);
    if (result.issues) return misfitOf(record, words, result.issues);
    const { value } = result;
    return {
      kind: 'record',
      text,
      value,
      get id() {
        return idOf(text, idKey);
      },
    };
  } catch (error) {
    return thrownMisfit(record, error);
  }
}

const EXPECTED = 'expected a Standard Schema of version 1, such as one of valibot, zod or arktype';

export const optionalSchema = v.optional(v.custom<StandardSchemaV1>(isSchema, EXPECTED));

const OptionsSchema = v.looseObject({ schema: optionalSchema });

/** @param whole What the object is called when it is none. @throws SettingError for a schema that is none. */
export function requireSchema(given: unknown, whole: string): void {
  parseOptions(OptionsSchema, given, whole);
}

function isSchema(value: unknown): boolean {
  const standard: unknown = isHolder(value) ? Reflect.get(value, '~standard') : undefined;
  if (!isHolder(standard)) return false;
  return (
    Reflect.get(standard, 'version') === 1 &&
    typeof Reflect.get(standard, 'validate') === 'function'
  );
}

/** Schemas are instances of classes, and functions. */
function isHolder(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
