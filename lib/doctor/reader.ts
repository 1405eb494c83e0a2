import type { JsonBody } from '../customers-api/answer-json.ts';
import { READ_ALWAYS } from '../customers-api/answer-plan.ts';
import { Exchange } from '../customers-api/exchange.ts';
import type { HttpHead } from '../customers-api/http.ts';
import type { AnswerFacts, Page, Refused } from '../customers-api/outcome.ts';
import { pageOf } from '../customers-api/page.ts';
import { resourceUrl } from '../customers-api/resource-url.ts';
import type { CustomersClientSettings } from '../customers-api/settings.ts';
import { defined } from '../defined.ts';
import type { Redact } from '../key/redaction.ts';
import { envelopeOf } from './envelope.ts';
import { headFactsOf } from './head-facts.ts';
import type { DoctorRead, Envelope, SeenRead } from './seen-read.ts';

/** The list that is looked at. */
export interface ExaminedList {
  readonly resource: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Reads with one key. Each read is at most one request. */
export interface Reader {
  readonly read: (asked: DoctorRead) => Promise<SeenRead>;
  /** Whole seconds for which the API wants no request; `undefined` when it may be asked. */
  readonly heldBackSeconds: () => number | undefined;
  /** A text without the key. */
  readonly redact: Redact;
}

/** @param settings With `itemsKey` and `idKey` where the caller knows them. */
export function createReader(
  settings: CustomersClientSettings,
  { resource, query }: ExaminedList,
): Reader {
  let head: HttpHead | undefined;
  const exchange = new Exchange(settings, (heard) => {
    head = heard;
  });
  const url = resourceUrl(settings.apiRoot, resource);
  const holdsKey = exchange.keyInText;

  const readBody = (body: JsonBody, facts: AnswerFacts, asked: DoctorRead): ReadBody => {
    const itemsKey = asked.itemsKey ?? settings.itemsKey;
    const envelope = envelopeOf(body, { resource, itemsKey, holdsKey });
    const page = pageOf(body, {
      page: asked.page,
      resource,
      itemsKey: envelope?.isFoundByRule === false ? envelope.itemsPath : itemsKey,
      metaKeys: settings.metaKeys,
      idKey: settings.idKey,
      facts,
      holdsKey,
    });
    if (page.kind === 'refused' || envelope === undefined) return { page };
    return { page, envelope };
  };

  const read = async (asked: DoctorRead): Promise<SeenRead> => {
    head = undefined;
    const sentAtMs = settings.now();
    const outcome = await exchange.get(
      {
        url,
        query: { ...query, page: asked.page, per_page: asked.perPage },
        plan: READ_ALWAYS,
        onlyOnce: true,
      },
      (body, facts) => readBody(body, facts, asked),
    );
    const receivedAtMs = settings.now();
    const facts = head && headFactsOf(head, receivedAtMs, holdsKey);
    return {
      asked,
      outcome: 'page' in outcome ? outcomeOf(outcome) : outcome,
      elapsedMs: receivedAtMs - sentAtMs,
      ...defined({ head: facts }),
    };
  };
  const heldBackSeconds = () => {
    const refusal = exchange.refusal();
    return refusal?.kind === 'throttled' ? refusal.retryAfterSeconds : undefined;
  };
  return { read, heldBackSeconds, redact: exchange.redact };
}

type ReadBody =
  | { readonly page: Page; readonly envelope: Envelope }
  | { readonly page: Page | Refused; readonly envelope?: undefined };

function outcomeOf({ page, envelope }: ReadBody): SeenRead['outcome'] {
  if (page.kind === 'refused') return page;
  if (envelope === undefined) throw new TypeError('A page without anything around it cannot be.');
  return { kind: 'page', page, envelope };
}
