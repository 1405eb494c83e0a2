import type { ReadRequest } from '../customers-api/api-requests.ts';
import type { ListOutcome, Page, ReadOutcome, WriteOutcome } from '../customers-api/outcome.ts';
import { listQueryOf, type Query } from '../customers-api/query.ts';
import type { WriteRequest } from '../customers-api/write.ts';
import { defined } from '../defined.ts';
import { SettingError } from '../errors.ts';
import {
  type Admitted,
  type ConnectionOptions,
  type Opening,
  openAdmitted,
  placeFor,
  stillAdmitted,
  tellOthers,
} from './admitted-connection.ts';
import type { BoundNotSent, NotSent } from './not-sent.ts';
import { SAMPLED_LIST, sampleOf, successor } from './organization-sample.ts';
import type { PageRequest } from './ports.ts';
import { unknownList } from './unknown-list.ts';

/** A page of a list in the settings, or of any other resource. */
export interface LivePageRequest {
  /** A list of the connection, asked for and read as its settings say. @default 'customers' */
  readonly list?: string | undefined;
  /** Any resource instead of a list, read as the settings of the connection say. */
  readonly resource?: string | undefined;
  /** Query parameters that select records; their meaning is the API's. Those of the list are sent too. */
  readonly query?: Query | undefined;
  readonly page: number;
  /** @default - `perPage` of the list; of a resource: not sent */
  readonly perPage?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A connection's client for callers beside its exports: it sends no request while the gate is closed,
 * records in the gate what the API asks for, and shares a known limit with all other callers. Every answer is a value.
 */
export interface GatedClient {
  /** @throws SettingError for a request that cannot be sent; AwsCallError. */
  listPage(request: LivePageRequest): Promise<ListOutcome | NotSent>;
  /** Throws as {@link GatedClient.listPage}. */
  read(request: ReadRequest): Promise<ReadOutcome | NotSent>;
  /** Sends a write once, see the outcome `unclear`. Throws as {@link GatedClient.listPage}. */
  write(request: WriteRequest): Promise<WriteOutcome | NotSent>;
}

/** The same, bound to an organization by `boundTo`: nothing is sent to another one. */
export interface BoundClient {
  listPage(request: LivePageRequest): Promise<ListOutcome | BoundNotSent>;
  read(request: ReadRequest): Promise<ReadOutcome | BoundNotSent>;
  /** @param request `sentAs`: the one credential that it may be sent with. @default - any of the organization */
  write(
    request: WriteRequest & { readonly sentAs?: string | undefined },
  ): Promise<WriteOutcome | BoundNotSent>;
}

interface Sending {
  readonly signal?: AbortSignal | undefined;
  readonly sentAs?: string | undefined;
}

type OneSending = Pick<Sending, 'sentAs'> & Opening;

/** Live reads renew a sample that no export has renewed, unless it is better: one small write an hour, see {@link successor}. */
const SAMPLE_MAX_AGE_MS = 3_600_000;

/** Makes the client of one connection. Cheap: `connections` caches the key and the HTTP client. */
export function createGatedClient(
  options: ConnectionOptions & { readonly boundTo?: never },
): GatedClient;
export function createGatedClient(options: ConnectionOptions): BoundClient;
export function createGatedClient(options: ConnectionOptions): BoundClient {
  const once = async <T extends ListOutcome | ReadOutcome | WriteOutcome>(
    ask: (admitted: Admitted) => Promise<T>,
    { signal, sentAs, rejected }: OneSending,
  ): Promise<{ outcome: T | BoundNotSent; keyVersion: string | undefined }> => {
    const admitted = await openInPlace(options, { rejected, signal });
    if (admitted.kind !== 'admitted') return { outcome: admitted, keyVersion: undefined };
    const { keyVersion, credential } = admitted.opened;
    if (sentAs !== undefined && credential !== sentAs) {
      return { outcome: { kind: 'key-changed' }, keyVersion: undefined };
    }
    const outcome = await ask(admitted);
    await tellOthers(options, outcome, admitted.opened);
    return { outcome, keyVersion };
  };

  /** A rejected key may have been replaced a moment ago: the API did nothing, so the new key is tried. */
  const send = async <T extends ListOutcome | ReadOutcome | WriteOutcome>(
    ask: (admitted: Admitted) => Promise<T>,
    { signal = new AbortController().signal, sentAs }: Sending,
  ): Promise<T | BoundNotSent> => {
    const sending = { signal, sentAs };
    const { outcome, keyVersion } = await once(ask, { ...sending, rejected: [] });
    if (outcome.kind !== 'authentication-failure' || keyVersion === undefined) return outcome;
    const again = await once(ask, { ...sending, rejected: [keyVersion] });
    const isUnasked = again.keyVersion === undefined && again.outcome.kind !== 'key-changed';
    return isUnasked ? outcome : again.outcome;
  };

  return {
    listPage: async (request) => {
      const { resource, query, places, perPage } = wantedList(options.lists, request);
      const { page, signal } = request;
      return send(
        async (admitted) => {
          const askPage = admitted.opened.client.pagesOf(resource, query, places);
          const outcome = await askPage(page, { perPage, signal });
          const isSampled = request.query === undefined && isOfSampled(options.lists, request);
          if (outcome.kind === 'page' && isSampled) {
            const about = { resource, page, ...defined({ perPage }), query };
            await noteSample(options, admitted, about, outcome);
          }
          return outcome;
        },
        { signal },
      );
    },
    read: (request) =>
      send(({ opened }) => opened.client.read(request), { signal: request.signal }),
    write: ({ sentAs, ...request }) =>
      send(({ opened }) => opened.client.write(request), { signal: request.signal, sentAs }),
  };
}

function wantedList(lists: ConnectionOptions['lists'], request: LivePageRequest) {
  const { list = SAMPLED_LIST, resource, perPage } = request;
  const query = listQueryOf(request.query);
  if (resource !== undefined && request.list !== undefined) {
    throw new SettingError('resource', 'expected either a list or a resource, got both');
  }
  if (resource !== undefined) return { resource, query, places: {}, perPage };
  const known = lists.get(list);
  if (known === undefined) {
    throw new SettingError('list', `${unknownList(lists, list)}, or ask for it by its resource`);
  }
  const { itemsKey, metaKeys, idKey } = known;
  return {
    resource: known.resource,
    query: { ...known.query, ...query },
    places: { itemsKey, metaKeys, idKey },
    perPage: perPage ?? known.perPage,
  };
}

/** Whether what is asked for is what an export of {@link SAMPLED_LIST} asks for, or would without that list. */
function isOfSampled(
  lists: ConnectionOptions['lists'],
  { list = SAMPLED_LIST, resource }: LivePageRequest,
): boolean {
  const own = lists.get(SAMPLED_LIST)?.resource ?? SAMPLED_LIST;
  return list === SAMPLED_LIST && (resource ?? own) === own;
}

/** A connection whose customers nobody exports needs a sample too. */
async function noteSample(
  { connection, gates, clock, onGateError }: ConnectionOptions,
  { organization, gate: { sample } }: Admitted,
  about: Omit<PageRequest, 'list'>,
  page: Page,
): Promise<void> {
  const nowMs = clock.now();
  const isFresh = sample !== undefined && nowMs - sample.atMs < SAMPLE_MAX_AGE_MS;
  if (isFresh) return;
  const taken = successor(sampleOf(about, page, nowMs), sample, page.recordCount);
  if (taken === undefined) return;
  await gates.storeSample(connection, organization.id, taken).catch(onGateError);
}

/**
 * Opens a connection for one request and waits for the place of the request, if a limit is known.
 *
 * A place is advice: a request whose place cannot be stored is sent without one. The gate is not: after a longer wait
 * it is read again.
 *
 * @returns `blocked` when there is no place in time.
 */
async function openInPlace(
  options: ConnectionOptions,
  opening: Opening,
): Promise<Admitted | BoundNotSent> {
  const admitted = await openAdmitted(options, opening);
  if (admitted.kind !== 'admitted' || options.hasPlaces === true) return admitted;
  const placed = await placeFor(options, admitted, opening.signal);
  if (placed === undefined) return admitted;
  if (placed.kind === 'blocked') return placed;
  return stillAdmitted(options, { ...admitted, gate: placed.look }, opening);
}
