import * as v from 'valibot';
import { defined } from '../defined.ts';
import { wholeText } from '../json/json-text.ts';
import type { JsonBody } from './answer-json.ts';
import { READ_ALWAYS } from './answer-plan.ts';
import { type PagesOf, pagesOf } from './ask-page.ts';
import { hasId, isErrorBody } from './error-body.ts';
import { Exchange } from './exchange.ts';
import { DEFAULT_ID_KEY } from './learn-id-key.ts';
import {
  type AnswerFacts,
  askedWait,
  type ReadOutcome,
  type Refused,
  type Resource,
  type WriteOutcome,
} from './outcome.ts';
import { errorBodyRefusal } from './page.ts';
import { parseOptions, signalOption } from './parse-options.ts';
import { type Query, QuerySchema } from './query.ts';
import { resourceUrl } from './resource-url.ts';
import {
  type CustomersClientOptions,
  type CustomersClientSettings,
  settingsOf,
} from './settings.ts';
import { sendWrite, type WriteRequest } from './write.ts';

/** Reads one resource, or what a query selects of it. */
export interface ReadRequest {
  /** Below `{base_url}/2.0/`, such as `customers/42`. */
  readonly resource: string;
  readonly query?: Query | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The members of a {@link ReadRequest}. */
export const readEntries = {
  resource: v.string(),
  query: v.optional(QuerySchema),
  signal: signalOption,
} satisfies { readonly [K in keyof ReadRequest]-?: v.GenericSchema };

const readSchema = v.strictObject(readEntries);

/**
 * Single requests with one key, for functions: of a client all but loops and schemas. What the API asked for is
 * remembered: while a `Retry-After` runs and after the key was rejected no request is made.
 */
export interface ApiRequests {
  readonly pagesOf: PagesOf;
  read(request: ReadRequest): Promise<ReadOutcome>;
  /** Sends one write once; see the outcome `unclear` before repeating. */
  write(request: WriteRequest): Promise<WriteOutcome>;
}

/** @throws SettingError naming the option that is wrong; InvalidKeyError. */
export function createApiRequests(options: CustomersClientOptions): ApiRequests {
  const settings = settingsOf(options);
  return apiRequests(new Exchange(settings), settings);
}

export function apiRequests(exchange: Exchange, settings: CustomersClientSettings): ApiRequests {
  return {
    pagesOf: pagesOf(exchange, settings),
    read: async (request) => {
      const { resource, query } = parseOptions(readSchema, request, 'request');
      const url = resourceUrl(settings.apiRoot, resource);
      const get = { url, query, plan: READ_ALWAYS, signal: request.signal };
      return exchange.get(get, (body, facts) =>
        resourceOf(body, facts, settings.idKey ?? DEFAULT_ID_KEY),
      );
    },
    write: (request) => sendWrite(request, exchange, settings),
  };
}

function resourceOf(body: JsonBody, facts: AnswerFacts, idKey: string): Resource | Refused {
  if (!hasId(body.outline) && isErrorBody(body.outline)) return errorBodyRefusal(facts);
  const { status = 0, requestId } = facts;
  const bodyText = wholeText(body.bytes);
  return {
    kind: 'resource',
    status,
    bodyText,
    idKey,
    ...defined({ requestId }),
    ...askedWait(facts),
  };
}
