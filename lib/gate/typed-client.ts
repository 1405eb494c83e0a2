import type { ReadRequest } from '../customers-api/api-requests.ts';
import {
  type CheckedListOutcome,
  type CheckedReadOutcome,
  checkedPage,
  checkedResource,
} from '../customers-api/checked-outcome.ts';
import type { ListOutcome, ReadOutcome } from '../customers-api/outcome.ts';
import { requireSchema, type WithSchema } from '../customers-api/typed-record.ts';
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

/** Adds schemas to a client. Others of the connection hear of a wait before a schema is asked. */
export function withSchemas(client: GatedClient): TypedClient {
  function listPage<Output>(
    request: LivePageRequest & WithSchema<Output>,
  ): Promise<CheckedListOutcome<Output> | NotSent>;
  function listPage(request: LivePageRequest): Promise<ListOutcome | NotSent>;
  async function listPage({ schema, ...request }: LivePageRequest & MaybeSchema) {
    requireSchema({ schema });
    const outcome = await client.listPage(request);
    return outcome.kind === 'page' && schema ? checkedPage(outcome, schema) : outcome;
  }

  function read<Output>(
    request: ReadRequest & WithSchema<Output>,
  ): Promise<CheckedReadOutcome<Output> | NotSent>;
  function read(request: ReadRequest): Promise<ReadOutcome | NotSent>;
  async function read({ schema, ...request }: ReadRequest & MaybeSchema) {
    requireSchema({ schema });
    const outcome = await client.read(request);
    return outcome.kind === 'resource' && schema ? checkedResource(outcome, schema) : outcome;
  }

  return { listPage, read, write: (request) => client.write(request) };
}
