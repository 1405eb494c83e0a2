import type { LocalStack } from '../../../../infra/local/local-stack.ts';
import type { Fault } from '../../../../infra/simulator/faults.ts';
import type { RequestLogEntry } from '../../../../infra/simulator/request-log.ts';
import type { Simulator } from '../../../../infra/simulator/simulator.ts';
import { isDeep } from '../../../deep/depth.ts';
import { until } from '../../../until.ts';
import { signedFetch } from '../signed-fetch.ts';
import type { Operator } from '../whole-stack/operator.ts';

export const LISTS = ['customers', 'invoices', 'subscriptions'] as const;

/** Connections with three lists each, every one with an organization of its own. */
export const LISTED = {
  /** All three have a schedule, and the API makes one of them wait. */
  turns: 'key-of-turns',
  /** Begins with a key that the API does not take any more, and the API does not have one of them. */
  turned: 'key-of-turned',
} as const;
export const REVOKED_KEY = 'revoked-key-of-turned';

/** Several pages of each list, one request at a time: a second worker would show. */
const LISTED_SETTINGS = {
  perPage: 20,
  pagesInFlight: 1,
  lists: { invoices: {}, subscriptions: { query: { status: 'all' } } },
};

export const LISTED_CONNECTIONS = {
  turns: { ...LISTED_SETTINGS, schedule: 'rate(1 minute)' },
  turned: LISTED_SETTINGS,
};

const TIMES = isDeep ? 5 : 1;
export const SIZES = {
  customers: 90 * TIMES,
  invoices: 90 * TIMES,
  subscriptions: 50 * TIMES,
};

export const LISTED_ORGANIZATIONS = [
  { name: 'turned', key: REVOKED_KEY, status: 'revoked', ...SIZES },
  ...Object.entries(LISTED).map(([name, key]) => ({ name, key, ...SIZES })),
] as const;

/** Long enough for a request meanwhile, on a busy machine too. */
export const WAIT_SECONDS = 6;

/** Those of a long run meet all lists. */
const MORE_WAITS: Fault = {
  when: { organization: 'turns', every: 7 },
  fault: { kind: 'status', status: 429, headers: { 'Retry-After': '1' } },
};

export const LISTED_FAULTS: readonly Fault[] = [
  {
    when: { organization: 'turns', resource: 'invoices', page: 3 },
    times: 1,
    fault: { kind: 'status', status: 429, headers: { 'Retry-After': String(WAIT_SECONDS) } },
  },
  {
    when: { organization: 'turned', resource: 'invoices' },
    fault: { kind: 'status', status: 404 },
  },
  ...(isDeep ? [MORE_WAITS] : []),
];

type Detail = LocalStack['events'][number]['event']['detail'];

/** What a run of these connections shows. */
export class ListsWorld {
  readonly #api: Simulator;
  readonly #stack: LocalStack;
  readonly #operator: Operator;

  constructor(api: Simulator, stack: LocalStack, operator: Operator) {
    this.#api = api;
    this.#stack = stack;
    this.#operator = operator;
  }

  /** The requests with any key of a connection's organization. */
  requests(connection: string): readonly RequestLogEntry[] {
    return this.#api.log.entries.filter(({ keyId }) => keyId.startsWith(`${connection}/`));
  }

  /** The ends of a connection's exports, in order; an event that was sent twice is there once. */
  ends(connection: string): readonly Detail[] {
    const told = this.#stack.events
      .map(({ event }) => event)
      .filter((event) => /^Export (Completed|Failed)$/.test(event['detail-type']))
      .map(({ detail }) => detail)
      .filter((detail) => detail['connection'] === connection);
    return [...new Map(told.map((detail) => [detail['id'], detail])).values()];
  }

  /** The first end of each list, once all have one. */
  firstEnds(connection: string): Promise<readonly Detail[]> {
    const seen = () => this.ends(connection).map(({ list }) => list);
    const look = () => {
      const byList = Map.groupBy(this.ends(connection), ({ list }) => list);
      return byList.size === LISTS.length && [...byList.values()].map(([first = {}]) => first);
    };
    return until(`an end of each list of ${connection}`, look, { seen, withinMs: 120_000 });
  }

  /** Asks this machine's HTTP API. */
  call(path: string): Promise<Response> {
    return signedFetch(this.#stack.endpoint, `${this.#stack.httpApis[0]?.url}/connections/${path}`);
  }

  /** An object of the bucket, once it is there. */
  async object(key: string): Promise<string> {
    return (await until(key, () => this.#operator.read(key).catch(() => undefined))).toString();
  }

  /** A live page of another list, asked for while one has to wait. */
  async livePageDuringWait(): Promise<number> {
    const isTold = () =>
      this.requests('turns').some(({ retryAfterSeconds }) => retryAfterSeconds === WAIT_SECONDS);
    const isKept = async () => {
      const exports = await (await this.call('turns/exports')).text();
      return exports.includes('"notBefore":"');
    };
    // Its process is there then: on a busy machine a start takes as long as the wait.
    await this.call('turns/exports');
    await until(`a wait of ${WAIT_SECONDS} s`, isTold, { withinMs: 120_000 });
    // The worker has it in its answer first, and then all have it in the gate.
    await until('a wait in the gate', isKept);
    return (await this.call('turns/lists/subscriptions')).status;
  }

  async startAll(connection: string) {
    const told = [];
    for (const list of LISTS) told.push(await this.#operator.start(connection, list));
    return told;
  }
}

/** The lists in the order in which the API was asked for them, one for each turn. */
export function turnsIn(entries: readonly RequestLogEntry[]): readonly (string | undefined)[] {
  return entries
    .map(({ resource }) => resource)
    .filter((resource, index, all) => resource !== all[index - 1]);
}
