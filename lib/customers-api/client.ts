import * as v from 'valibot';
import { defined } from '../defined.ts';
import { wholeText } from '../json/json-text.ts';
import { isJsonObject } from '../json/json-value.ts';
import { recordOf } from '../record-of.ts';
import { READ_ALWAYS } from './answer-plan.ts';
import { isErrorBody } from './error-body.ts';
import { Exchange } from './exchange.ts';
import { type ListOptions, listOptionsOf } from './list-options.ts';
import { askedWait, type ReadOutcome, type WriteOutcome } from './outcome.ts';
import { errorBodyRefusal } from './page.ts';
import { parseOptions } from './parse-options.ts';
import { createResourceList, type LoopOptions, type ResourceList } from './resource-list.ts';
import { resourceUrl } from './resource-url.ts';
import { type CustomersClientOptions, settingsOf } from './settings.ts';
import { sendWrite, type WriteRequest } from './write.ts';

/** Reads one resource, or what a query selects of it. */
export interface ReadRequest {
  /** Below `{base_url}/2.0/`, such as `customers/42`. */
  readonly resource: string;
  readonly query?: Readonly<Record<string, string | number>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const readSchema = v.strictObject({
  resource: v.string(),
  query: v.optional(
    recordOf(
      v.string(),
      v.optional(v.union([v.string(), v.number()], 'expected text or a number')),
    ),
  ),
  signal: v.optional(v.unknown()),
});

/**
 * Talks to the customers API of one organization. It remembers what the API asked for: while a
 * `Retry-After` runs and after the key was rejected it answers by itself and makes no request.
 */
export interface CustomersClient extends Pick<ResourceList, 'listPage' | 'pages'> {
  /** The JSON text of each customer, in the order of the list. */
  customers(options?: LoopOptions): AsyncGenerator<string, void, undefined>;
  /**
   * The list of any other resource, such as `invoices`, or what a query selects of it.
   *
   * @param options Of this list, in place of the client's own.
   */
  list(
    resource: string,
    query?: Readonly<Record<string, string>>,
    options?: ListOptions,
  ): ResourceList;
  read(request: ReadRequest): Promise<ReadOutcome>;
  /** Sends one write once; see the outcome `unclear` before repeating. */
  write(request: WriteRequest): Promise<WriteOutcome>;
}

/**
 * Makes a client for one key.
 *
 * @throws SettingError naming the option that is wrong; InvalidKeyError.
 * @example
 * const client = createCustomersClient({ baseUrl: 'https://api.example.com', key });
 * for await (const customer of client.customers({ maxWaitSeconds: 60 })) console.log(customer);
 */
export function createCustomersClient(options: CustomersClientOptions): CustomersClient {
  const settings = settingsOf(options);
  const exchange = new Exchange(settings);
  const list: CustomersClient['list'] = (resource, query, options) =>
    createResourceList(resource, exchange, { ...settings, ...listOptionsOf(options ?? {}) }, query);
  const { listPage, pages, records } = list('customers');
  return {
    listPage,
    pages,
    customers: records,
    list,
    read: async (request) => {
      const { resource, query } = parseOptions(readSchema, request, 'request');
      const url = resourceUrl(settings.apiRoot, resource);
      return exchange.get(
        { url, query, plan: READ_ALWAYS, signal: request.signal },
        (body, facts) => {
          // A resource may have errors of its own, as an import does; then it also has an id.
          const isResource = isJsonObject(body.outline) && body.outline['id'] !== undefined;
          if (!isResource && isErrorBody(body.outline)) return errorBodyRefusal(facts);
          const { status = 0, requestId } = facts;
          const bodyText = wholeText(body.bytes);
          return {
            kind: 'resource',
            status,
            bodyText,
            ...defined({ requestId }),
            ...askedWait(facts),
          };
        },
      );
    },
    write: (request) => sendWrite(request, exchange, settings),
  };
}
