import { createConnections, withClient } from '../../functions/aws/connections.ts';
import type { KeyStore, StoredKey } from '../../functions/aws/key-store.ts';
import { asynchronous, MemoryGates } from '../../infra/command/try/memory-ledger.ts';
import { randomOf } from '../../infra/simulator/random.ts';
import { connectionListsOf } from '../../lib/exports/connection-lists.ts';
import { createGatedClient } from '../../lib/gate/gated-client.ts';
import { onSharedClock } from '../../lib/gate/gates-on-shared-clock.ts';
import type { GateOpenings, Gates } from '../../lib/gate/ports.ts';
import { SharedClock } from '../../lib/gate/shared-clock.ts';
import { ApiKey } from '../../lib/key/api-key.ts';
import { VirtualClock } from './virtual-clock.ts';

const CONNECTION = 'acme';
/** The oldest look that allows a request, and the longest time that a call of the gate takes here. */
const OLDEST_LOOK_MS = 1_000 + 500;
const KEY_MAX_AGE_MS = 60_000;
const LISTS = connectionListsOf({}, {});

/** Whatever follows from one timer takes three of them: a fetch and the reading of its body. */
const TURNS = 6;

interface Told {
  readonly process: number;
  readonly endMs: number;
  /** When the gate had it. */
  inGateMs: number;
}

/**
 * Several processes, each with a clock and a cache of the key of its own, read and write under one gate, while the secret
 * gets new versions, some of another organization, and the API throttles and rejects keys.
 */
export class LiveCallers {
  /** What must not be; empty when all is well. */
  readonly problems: string[] = [];
  /** How often each kind of outcome was met. */
  readonly met = new Map<string, number>();
  readonly #clock = new VirtualClock();
  readonly #gates = new MemoryGates();
  readonly #random: () => number;
  readonly #endMs: number;
  readonly #failures: number;
  readonly #waits: Told[] = [];
  readonly #rejectedAtMs = new Map<string, number>();
  readonly #organizations = ['A'];
  readonly #revoked = new Set<string>();
  readonly #writtenTo = new Map<string, string[]>();
  #running = 0;
  #writes = 0;

  /** @param failures Probability that a call of the gate fails, before or after its effect. */
  constructor(seed: number, failures: number) {
    this.#random = randomOf(seed);
    this.#failures = failures;
    this.#endMs = this.#clock.now() + 60_000;
  }

  /** @param clocksAheadMs Of each process. */
  async run(clocksAheadMs: readonly number[]): Promise<void> {
    void this.#rotate();
    for (const [process, aheadMs] of clocksAheadMs.entries()) {
      const open = this.#processOf(process, aheadMs);
      for (const client of [open, open]) void this.#call(client);
    }
    do for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
    while (this.#clock.step());
    if (this.#running > 0) this.problems.push(`${this.#running} calls never end`);
  }

  get #keyVersion(): string {
    return `v${this.#organizations.length}`;
  }

  async #rotate(): Promise<void> {
    while (this.#clock.now() < this.#endMs) {
      await this.#pass(3_000 + this.#random() * 15_000);
      const chance = this.#random();
      if (chance > 0.6) continue;
      if (chance > 0.3) this.#revoked.add(this.#keyVersion);
      const isSame = this.#random() < 0.6;
      const last = this.#organizations.at(-1) ?? 'A';
      if (chance < 0.5) this.#organizations.push(isSame ? last : last === 'A' ? 'B' : 'A');
    }
  }

  /** Reads and writes one after the other; a write some time after it was accepted. */
  async #call({ clientOf, credentialOf }: Process): Promise<void> {
    while (this.#clock.now() < this.#endMs) {
      this.#running++;
      try {
        if (this.#random() < 0.5) this.#meet((await clientOf().listPage({ page: 1 })).kind);
        else await this.#write({ clientOf, credentialOf });
      } catch (error) {
        if (!(error instanceof OutOfOrder)) this.problems.push(String(error));
      }
      this.#running--;
      await this.#pass(this.#random() * 3_000);
    }
  }

  async #write({ clientOf, credentialOf }: Process): Promise<void> {
    const accepted = await credentialOf();
    const id = `w${this.#writes++}`;
    await this.#pass(this.#random() < 0.3 ? this.#random() * 20_000 : 0);
    const write = { method: 'POST', resource: 'customers', body: { id } } as const;
    this.#meet((await clientOf(accepted).write(write)).kind);
    const [organization, second] = this.#writtenTo.get(id) ?? [];
    if (second !== undefined) this.problems.push(`${id} was written twice`);
    const own = this.#organizationOf(accepted.split('/')[0] ?? '');
    if (organization !== undefined && organization !== own) {
      this.problems.push(`${id} of ${own} was written to ${organization}`);
    }
  }

  #meet(kind: string): void {
    this.met.set(kind, (this.met.get(kind) ?? 0) + 1);
  }

  #organizationOf(keyVersion: string): string {
    return this.#organizations[Number(keyVersion.slice(1)) - 1] ?? 'none';
  }

  #processOf(process: number, aheadMs: number): Process {
    const now = () => this.#clock.now() + aheadMs;
    const shared = new SharedClock(now);
    const gates = onSharedClock(this.#slow(process, now, shared), shared);
    const connections = createConnections(
      {
        keyStore: this.#keyStore(now),
        listsOf: () => LISTS,
        apiSettingsOf: () => ({
          baseUrl: 'https://api.example.com',
          fetch: (_url, init) => this.#answer(process, init),
          now,
          random: this.#random,
        }),
      },
      withClient,
    );
    return {
      clientOf: (boundTo) =>
        createGatedClient({
          connection: CONNECTION,
          lists: LISTS,
          connections,
          gates,
          clock: { now: shared.now, sleep: (ms, signal) => this.#clock.sleep(ms, signal) },
          random: { fraction: this.#random, token: () => String(this.#random()) },
          recordMs: () => 24_000,
          onGateError: () => this.#meet('gate not told'),
          ...(boundTo === undefined ? {} : { boundTo }),
        }),
      credentialOf: async () => {
        const opened = await connections.open(CONNECTION, 'cached');
        return opened.kind === 'open' ? opened.credential : 'none';
      },
    };
  }

  /** The gate as a process reaches it: each call takes time and may fail, and its answer tells the ledger's second. */
  #slow(process: number, now: () => number, shared: SharedClock): Gates & GateOpenings {
    const call = async <T>(effect: () => T): Promise<T> => {
      const sentAtMs = now();
      await this.#pass(this.#latencyMs());
      if (this.#random() < this.#failures) throw new OutOfOrder();
      const dateMs = Math.floor(this.#clock.now() / 1_000) * 1_000;
      const result = effect();
      await this.#pass(this.#latencyMs());
      shared.heard(dateMs, sentAtMs, now());
      if (this.#random() < this.#failures) throw new OutOfOrder();
      return result;
    };
    const gates = this.#gates;
    return {
      ...asynchronous(gates, (_, effect) => call(effect)),
      blockUntil: (...args) =>
        call(() => {
          const told = this.#waits.filter((each) => each.process === process);
          for (const each of told) each.inGateMs = Math.min(each.inGateMs, this.#clock.now());
          return gates.blockUntil(...args);
        }),
      haltKeyVersion: (connection, version) =>
        call(() => {
          const { keyVersion } = version;
          if (!this.#rejectedAtMs.has(keyVersion))
            this.#rejectedAtMs.set(keyVersion, this.#clock.now());
          return gates.haltKeyVersion(connection, version);
        }),
    };
  }

  /** Some reads take seconds. */
  #keyStore(now: () => number): KeyStore {
    let known: { readonly stored: StoredKey; readonly atMs: number } | undefined;
    return {
      read: async (_connection, freshness) => {
        const atMs = now();
        const isYoung = known !== undefined && atMs - known.atMs < KEY_MAX_AGE_MS;
        if (freshness === 'cached' && isYoung && known) return known.stored;
        await this.#pass(this.#latencyMs());
        const keyVersion = this.#keyVersion;
        await this.#pass(this.#random() < 0.2 ? this.#random() * 8_000 : this.#latencyMs());
        const stored = {
          kind: 'key',
          key: ApiKey.from(`key-of-${keyVersion}`),
          keyVersion,
        } as const;
        known = { stored, atMs };
        return stored;
      },
    };
  }

  async #answer(process: number, init: RequestInit | undefined): Promise<Response> {
    const headers = new Headers(init?.headers);
    const version = headers.get('API-KEY')?.replace('key-of-', '') ?? '';
    this.#check(version);
    await this.#pass(20 + this.#random() * (this.#random() < 0.05 ? 5_000 : 100));
    if (this.#revoked.has(version)) return new Response('{}', { status: 401 });
    const chance = this.#random();
    const retryAfter = { 'Retry-After': String(2 + Math.floor(this.#random() * 40)) };
    if (chance < 0.1) {
      const endMs = this.#clock.now() + Number(retryAfter['Retry-After']) * 1_000;
      this.#waits.push({ process, endMs, inGateMs: Number.POSITIVE_INFINITY });
    }
    if (chance < 0.06) return new Response('{}', { status: 429, headers: retryAfter });
    const organization = this.#organizationOf(version);
    if (init?.method === 'POST') {
      const id = /w\d+/.exec(String(init.body))?.[0] ?? '';
      this.#writtenTo.set(id, [...(this.#writtenTo.get(id) ?? []), organization]);
    }
    const customers = Array.from({ length: 10 }, (_, id) => ({ id, organization }));
    const body = { customers, meta: { pages: 1 } };
    return Response.json(body, chance < 0.1 ? { headers: retryAfter } : {});
  }

  /** When a request leaves. */
  #check(version: string): void {
    const nowMs = this.#clock.now();
    const lastLookMs = nowMs - OLDEST_LOOK_MS;
    const wait = this.#waits.find(({ endMs, inGateMs }) => endMs > nowMs && inGateMs < lastLookMs);
    if (wait !== undefined) this.problems.push(`${wait.endMs - nowMs} ms early`);
    if ((this.#rejectedAtMs.get(version) ?? nowMs) < lastLookMs) {
      this.problems.push(
        `${version} was sent ${nowMs - (this.#rejectedAtMs.get(version) ?? 0)} ms after it was rejected`,
      );
    }
  }

  #latencyMs(): number {
    return this.#random() < 0.05 ? this.#random() * 200 : 2 + this.#random() * 20;
  }

  #pass(ms: number): Promise<void> {
    return this.#clock.delay(Math.ceil(ms));
  }
}

interface Process {
  readonly clientOf: (boundTo?: string) => ReturnType<typeof createGatedClient>;
  readonly credentialOf: () => Promise<string>;
}

class OutOfOrder extends Error {}
