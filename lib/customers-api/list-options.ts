import * as v from 'valibot';
import { defined } from '../defined.ts';
import { wholeNumber } from '../number-range.ts';
import type { MetaKeys } from './list-evidence.ts';
import { parseOptions } from './parse-options.ts';

/** How one list is asked for, and where its pages have what. */
export interface ListOptions {
  /** Records a page to ask for, 1 or more. @default - not sent: the API decides */
  readonly perPage?: number | undefined;
  /** Number of the first page, 0 or more. @default 1 */
  readonly firstPage?: number | undefined;
  /** Where the records are: member names joined by dots. @default - found by rule */
  readonly itemsKey?: string | undefined;
  /** Where evidence about the end of the list is. @default - found by usual names */
  readonly metaKeys?: MetaKeys | undefined;
  /**
   * Member that identifies a record.
   * @default - learned: the first of the usual names, such as `id`, by which all records of the first page differ
   */
  readonly idKey?: string | undefined;
}

const memberPath = v.pipe(
  v.string(),
  v.regex(/^[^.]+(\.[^.]+)*$/, 'expected member names joined by dots'),
);
const placeOrOff = v.optional(v.union([memberPath, v.literal(false)], 'expected a path or false'));

export const listOptionEntries = {
  perPage: v.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  firstPage: v.optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  itemsKey: v.optional(memberPath),
  metaKeys: v.optional(
    v.strictObject({
      totalPages: placeOrOff,
      total: placeOrOff,
      count: placeOrOff,
      currentPage: placeOrOff,
      perPage: placeOrOff,
      nextPage: placeOrOff,
      hasMore: placeOrOff,
      previousPage: placeOrOff,
    } satisfies { readonly [K in keyof MetaKeys]-?: v.GenericSchema }),
  ),
  idKey: v.optional(v.pipe(v.string(), v.minLength(1, 'expected a member name'))),
};

const ListOptionsSchema = v.strictObject(listOptionEntries);

/** Checks the options of one list. @throws SettingError naming the option. */
export function listOptionsOf(given: unknown) {
  return defined(parseOptions(ListOptionsSchema, given, 'options'));
}
