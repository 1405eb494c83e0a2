import * as v from 'valibot';
import { type ReadRequest, readEntries } from '../customers-api/api-requests.ts';
import {
  type CheckedListOutcome,
  type CheckedReadOutcome,
  checkedPage,
  checkedResource,
} from '../customers-api/checked-outcome.ts';
import type { ListOutcome, ReadOutcome } from '../customers-api/outcome.ts';
import { parseOptions, signalOption } from '../customers-api/parse-options.ts';
import { optionalSchema, type WithSchema } from '../customers-api/typed-record.ts';
import { writeEntries } from '../customers-api/write.ts';
import { wholeNumber } from '../number-range.ts';
import type { GatedClient, LivePageRequest } from './gated-client.ts';
import type { NotSent } from './not-sent.ts';

/** A {@link GatedClient} that also gives values which a schema checked. */
export interface TypedClient extends GatedClient {
  /** Asks for one page. With a `schema` its records are checked too, see `checked`. */
  listPage<Output>(
    request: LivePageRequest & WithSchema<Output>,
  ): Promise<CheckedListOutcome<Output> | NotSent>;
  listPage(request: LivePageRequest): Promise<ListOutcome | NotSent>;
  /** Reads one resource. With a `schema` its body is checked too, see `checked`. */
  read<Output>(
    request: ReadRequest & WithSchema<Output>,
  ): Promise<CheckedReadOutcome<Output> | NotSent>;
  read(request: ReadRequest): Promise<ReadOutcome | NotSent>;
}

type MaybeSchema = Partial<WithSchema<unknown>>;

// What is in the members is checked where the request is made; these are told before the gate is asked.
const PageSchema = v.strictObject({
  list: v.optional(v.string()),
  resource: v.optional(v.string()),
  query: v.optional(v.unknown()),
  page: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  perPage: v.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  signal: signalOption,
  schema: optionalSchema,
} satisfies { readonly [K in keyof (LivePageRequest & MaybeSchema)]-?: v.GenericSchema });
const ReadSchema = v.strictObject({ ...readEntries, schema: optionalSchema });
const WriteSchema = v.strictObject(writeEntries);

/** Adds schemas to a client. Others of the connection hear of a wait before a schema is asked. */
export function withSchemas(client: GatedClient): TypedClient {
  function listPage<Output>(
    request: LivePageRequest & WithSchema<Output>,
  ): Promise<CheckedListOutcome<Output> | NotSent>;
  function listPage(request: LivePageRequest): Promise<ListOutcome | NotSent>;
  async function listPage(given: LivePageRequest & MaybeSchema) {
    parseOptions(PageSchema, given, 'request');
    const { schema, ...request } = given;
    const outcome = await client.listPage(request);
    return outcome.kind === 'page' && schema ? checkedPage(outcome, schema) : outcome;
  }

  function read<Output>(
    request: ReadRequest & WithSchema<Output>,
  ): Promise<CheckedReadOutcome<Output> | NotSent>;
  function read(request: ReadRequest): Promise<ReadOutcome | NotSent>;
  async function read(given: ReadRequest & MaybeSchema) {
    parseOptions(ReadSchema, given, 'request');
    const { schema, ...request } = given;
    const outcome = await client.read(request);
    return outcome.kind === 'resource' && schema ? checkedResource(outcome, schema) : outcome;
  }

  return {
    listPage,
    read,
    write: async (request) => {
      parseOptions(WriteSchema, request, 'request');
      return client.write(request);
    },
  };
}
