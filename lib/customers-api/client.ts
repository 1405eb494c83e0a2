import { type ApiRequests, apiRequests, type ReadRequest } from './api-requests.ts';
import { pageAsker } from './ask-page.ts';
import { type CheckedReadOutcome, checkedResource } from './checked-outcome.ts';
import { Exchange } from './exchange.ts';
import { type ListOptions, listOptionsOf } from './list-options.ts';
import type { ReadOutcome } from './outcome.ts';
import { listQueryOf, type Query } from './query.ts';
import { createResourceList, type ResourceList } from './resource-list.ts';
import { type CustomersClientOptions, settingsOf } from './settings.ts';
import { requireSchema, type WithSchema } from './typed-record.ts';

/**
 * Talks to the customers API of one organization. It remembers what the API asked for: while a
 * `Retry-After` runs and after the key was rejected it answers by itself and makes no request.
 */
export interface CustomersClient
  extends Pick<ResourceList, 'listPage' | 'pages'>,
    Pick<ApiRequests, 'write'> {
  /**
   * Each customer in the order of the list, see {@link ResourceList.records}: its exact JSON text, and its value,
   * which is parsed when it is asked for, and with a `schema` is of the type that the schema gives it.
   */
  readonly customers: ResourceList['records'];
  /**
   * The list of any other resource, such as `invoices`, or what a query selects of it.
   *
   * @param options Of this list, in place of the client's own.
   */
  list(resource: string, query?: Query, options?: ListOptions): ResourceList;
  /** Reads one resource. With a `schema`, its body is also given as a value that the schema checked. */
  read<Output>(request: ReadRequest & WithSchema<Output>): Promise<CheckedReadOutcome<Output>>;
  read(request: ReadRequest): Promise<ReadOutcome>;
}

/**
 * Makes a client for one key.
 *
 * @throws SettingError naming the option that is wrong; InvalidKeyError.
 * @example
 * const client = createCustomersClient({ baseUrl: 'https://api.example.com', key });
 * for await (const customer of client.customers({ maxWaitSeconds: 60 })) console.log(customer.text);
 *
 * const schema = z.object({ id: z.coerce.string(), name: z.string() });
 * for await (const customer of client.customers({ schema })) {
 *   if (customer.kind === 'record') console.log(customer.value.name);
 *   else console.warn('Unexpected customer', customer.path, customer.expected);
 * }
 */
export function createCustomersClient(options: CustomersClientOptions): CustomersClient {
  const settings = settingsOf(options);
  const exchange = new Exchange(settings);
  const requests = apiRequests(exchange, settings);
  const list: CustomersClient['list'] = (resource, query, options = {}) => {
    const ofList = { ...settings, ...listOptionsOf(options) };
    return createResourceList(pageAsker(resource, exchange, ofList, listQueryOf(query)), ofList);
  };

  function read<Output>(
    request: ReadRequest & WithSchema<Output>,
  ): Promise<CheckedReadOutcome<Output>>;
  function read(request: ReadRequest): Promise<ReadOutcome>;
  async function read(given: ReadRequest & Partial<WithSchema<unknown>>) {
    requireSchema(given, 'request');
    const { schema, ...request } = given;
    const outcome = await requests.read(request);
    return outcome.kind === 'resource' && schema ? checkedResource(outcome, schema) : outcome;
  }

  const { listPage, pages, records } = list('customers');
  return { listPage, pages, customers: records, list, read, write: requests.write };
}
