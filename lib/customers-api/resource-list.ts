import * as v from 'valibot';
import type { AskPage, PageOptions } from './ask-page.ts';
import { type CheckedListOutcome, type CheckedPage, checkedPage } from './checked-outcome.ts';
import { type LoopOptions, textsOf, type WalkedPage, walkPages } from './list-loop.ts';
import { listOptionEntries } from './list-options.ts';
import type { ListOutcome } from './outcome.ts';
import { parseOptions, signalOption } from './parse-options.ts';
import type { CustomersClientSettings } from './settings.ts';
import {
  type CheckedRecord,
  checkedRecord,
  optionalSchema,
  requireSchema,
  type TypedRecord,
  uncheckedRecord,
  type WithSchema,
} from './typed-record.ts';

/**
 * The list of one resource. With a `schema`, records are also given as values that it checked: a record that does
 * not fit is one of `kind` `misfit`, and ends nothing.
 */
export interface ResourceList {
  /**
   * Asks for one page. Every answer is a value. Only a request whose connection broke at once is sent once more.
   *
   * @param page 0 or more.
   * @throws SettingError for numbers that are not whole or too small, and for a schema that is none.
   */
  listPage<Output>(
    page: number,
    options: PageOptions & WithSchema<Output>,
  ): Promise<CheckedListOutcome<Output>>;
  listPage(page: number, options?: PageOptions): Promise<ListOutcome>;
  /**
   * The pages from the first to the last, one request at a time.
   *
   * @throws ThrottledError, AuthenticationError, UnavailableError or RefusedError, each with `walk`.
   */
  pages<Output>(
    options: LoopOptions & WithSchema<Output>,
  ): AsyncGenerator<CheckedPage<Output>, void, undefined>;
  pages(options?: LoopOptions): AsyncGenerator<WalkedPage, void, undefined>;
  /**
   * The records one by one. One with an id that the page before held too, unchanged, is left out: the list moved on
   * while it was read. In a verified walk each id comes once, as it was read first. Throws as {@link ResourceList.pages} does.
   */
  records<Output>(
    options: LoopOptions & WithSchema<Output>,
  ): AsyncGenerator<CheckedRecord<Output>, void, undefined>;
  records(options?: LoopOptions): AsyncGenerator<TypedRecord, void, undefined>;
}

/** @param settings Those of the client, with the list's own in their place. */
export function createResourceList(
  askPage: AskPage,
  settings: CustomersClientSettings,
): ResourceList {
  function listPage<Output>(
    page: number,
    options: PageOptions & WithSchema<Output>,
  ): Promise<CheckedListOutcome<Output>>;
  function listPage(page: number, options?: PageOptions): Promise<ListOutcome>;
  async function listPage(page: number, options: PageOptions & MaybeSchema = {}) {
    parseOptions(pageSchema, options, 'options');
    const outcome = await askPage(page, options);
    const { schema } = options;
    return outcome.kind === 'page' && schema ? checkedPage(outcome, schema) : outcome;
  }

  function pages<Output>(
    options: LoopOptions & WithSchema<Output>,
  ): AsyncGenerator<CheckedPage<Output>, void, undefined>;
  function pages(options?: LoopOptions): AsyncGenerator<WalkedPage, void, undefined>;
  async function* pages(options: LoopOptions & MaybeSchema = {}) {
    for await (const page of walkPages(askPage, settings, options)) {
      yield options.schema ? await checkedPage(page, options.schema) : page;
    }
  }

  function records<Output>(
    options: LoopOptions & WithSchema<Output>,
  ): AsyncGenerator<CheckedRecord<Output>, void, undefined>;
  function records(options?: LoopOptions): AsyncGenerator<TypedRecord, void, undefined>;
  async function* records(options: LoopOptions & MaybeSchema = {}) {
    requireSchema(options, 'options');
    const { schema } = options;
    for await (const texts of textsOf(walkPages(askPage, settings, options), isVerified(options))) {
      for (const record of texts) {
        yield schema ? await checkedRecord(record, schema) : uncheckedRecord(record);
      }
    }
  }

  return { listPage, pages, records };
}

function isVerified({ walk, resume }: LoopOptions): boolean {
  return (resume?.kind ?? walk) === 'verified';
}

type MaybeSchema = Partial<WithSchema<unknown>>;

const pageSchema = v.strictObject({
  perPage: v.optional(v.unknown()),
  idKey: listOptionEntries.idKey,
  signal: signalOption,
  schema: optionalSchema,
} satisfies { readonly [K in keyof (PageOptions & MaybeSchema)]-?: v.GenericSchema });
