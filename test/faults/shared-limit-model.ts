import { asynchronous, MemoryGates } from '../../infra/command/try/memory-ledger.ts';
import { randomOf } from '../../infra/simulator/random.ts';
import type { Limiter } from '../../infra/simulator/rate-limit.ts';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import { defined } from '../../lib/defined.ts';
import { connectionListsOf } from '../../lib/exports/connection-lists.ts';
import { PageFetcher } from '../../lib/exports/fetch-pages.ts';
import { lookAtGate } from '../../lib/gate/gate-look.ts';
import { createGatedClient } from '../../lib/gate/gated-client.ts';
import type { Gates } from '../../lib/gate/ports.ts';
import { paceOf } from '../../lib/pace/pace-of.ts';
import type { Pacer } from '../../lib/pace/pacer.ts';
import { pageOf, throttled } from './model-api.ts';
import { VirtualClock } from './virtual-clock.ts';

const CONNECTION = 'acme';
const LATENCY_MS = 40;
/** Of each way of a request. */
const JITTER_MS = 3;
/** A call of the ledger takes this, and up to as much more. */
const LEDGER_MS = 4;
/** Between two steps of an export. */
const STEP_MS = 100;
/** The export is alone for so long. At the end some seeds try a higher rate than the likely one. */
const LEARNING_SECONDS = 40;
/** The pace is stored with each part. */
const PART_PAGES = 50;

export interface SharedLimit {
  readonly limiter: () => Limiter;
  /** As an operator sets it. @default - learned, in a first export that is alone */
  readonly requestsPerSecond?: number;
  /** In the long run. */
  readonly perSecond: number;
  readonly seconds: number;
  /** Not counted: until the first reads are seen. */
  readonly warmUpSeconds: number;
  /** Live reads, as a share of the limit. */
  readonly load: number;
  /** How far a live read is from its even time, in parts of the time between two. */
  readonly unevenness: number;
  /** Whose process stands still now and then, as on a busy machine: for 0.25 s every 1.75 s, on average. @default - nobody's */
  readonly standsStill?: Process;
  readonly seed: number;
}

type Process = 'reader' | 'export' | 'api';

export interface SharedRun {
  readonly pages: number;
  readonly exportThrottles: number;
  /** How long each live read waited before it was sent, beside the least that its look at the gate takes. */
  readonly waitsMs: readonly number[];
  /** Live reads that got no answer of the API, or were told to wait by it. */
  readonly refused: number;
  /** Requests that were sent though a wait was recorded a second before, or more. */
  readonly early: number;
  readonly ledgerWrites: number;
}

/** An export that never ends and live reads of other processes, under one limit and one gate, in virtual time. */
export async function runShared(limit: SharedLimit): Promise<SharedRun> {
  const model = new SharedModel(limit);
  if (limit.requestsPerSecond === undefined) await model.run(LEARNING_SECONDS, 0);
  await model.run(limit.warmUpSeconds, limit.load);
  return model.run(limit.seconds, limit.load);
}

class SharedModel {
  readonly #limit: SharedLimit;
  readonly #clock = new VirtualClock();
  readonly #memory = new MemoryGates();
  readonly #random: () => number;
  readonly #limiter: Limiter;
  #blockedUntilMs = 0;
  #early = 0;
  #ledgerWrites = 0;
  #tokens = 0;
  #stillFromMs = 0;
  #stillUntilMs = this.#clock.now();

  constructor(limit: SharedLimit) {
    this.#limit = limit;
    this.#random = randomOf(limit.seed);
    this.#limiter = limit.limiter();
    this.#memory.replaceOrganization(
      CONNECTION,
      { writeToken: 'o', id: 'o', credentials: ['v1/'] },
      undefined,
    );
  }

  async run(seconds: number, load: number): Promise<SharedRun> {
    const clock = this.#clock;
    const endMs = clock.now() + seconds * 1000;
    const result = { pages: 0, exportThrottles: 0, refused: 0, waitsMs: [] as number[] };
    this.#early = 0;
    this.#ledgerWrites = 0;
    const all = [this.#export(endMs, result), this.#reads(endMs, load, result)];
    let isOver = false;
    const over = Promise.all(all).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isOver) clock.step();
    }
    await over;
    return { ...result, early: this.#early, ledgerWrites: this.#ledgerWrites };
  }

  async #export(endMs: number, result: { pages: number; exportThrottles: number }): Promise<void> {
    const clock = this.#clock;
    let lastAtMs = 0;
    while (clock.now() < endMs) {
      const ports = {
        clock: this.#clockPort('export'),
        random: this.#randomPort(),
        gates: this.#gates('export'),
      };
      const gate = await lookAtGate(ports, CONNECTION);
      const { requestsPerSecond } = this.#limit;
      const pace = paceOf(defined({ requestsPerSecond }), gate, lastAtMs);
      const first = result.pages + 1;
      let taken = 0;
      const fetcher = new PageFetcher(ports, {
        exportId: 'e',
        connectionName: CONNECTION,
        connection: {
          kind: 'open',
          keyVersion: 'v1',
          credential: 'v1/',
          listPage: async ({ page }) => this.#answer(page),
        },
        request: { list: 'customers', resource: 'customers', query: {} },
        ask: (ahead) => ({ page: first + taken + ahead }),
        gate,
        pace,
        blindThrottles: 0,
        stopAtMs: endMs,
      });
      for (;;) {
        const fetched = await fetcher.next();
        if (fetched.kind === 'page') {
          taken++;
          result.pages++;
          if (taken % PART_PAGES === 0) this.#keep(pace);
          continue;
        }
        fetcher.close();
        await fetcher.over();
        this.#keep(pace);
        if (fetched.kind === 'throttled') result.exportThrottles++;
        lastAtMs = pace.lastAtMs;
        const notBeforeMs = 'notBeforeMs' in fetched ? (fetched.notBeforeMs ?? 0) : 0;
        const delaySeconds = Math.ceil(Math.max(0, notBeforeMs - clock.now()) / 1000);
        await clock.delay(delaySeconds * 1000 + STEP_MS);
        break;
      }
    }
  }

  #keep(pace: Pacer): void {
    const { known } = pace;
    if (known !== undefined) this.#memory.storePace(CONNECTION, 'o', known);
  }

  async #reads(
    endMs: number,
    load: number,
    result: { refused: number; waitsMs: number[] },
  ): Promise<void> {
    const { perSecond, unevenness } = this.#limit;
    if (load === 0) return;
    const everyMs = 1000 / (perSecond * load);
    const reads: Promise<void>[] = [];
    const startMs = this.#clock.now();
    for (let index = 0; startMs + index * everyMs < endMs; index++) {
      const atMs = startMs + (index + this.#random() * unevenness) * everyMs;
      reads.push(
        new Promise<void>((resolve) => this.#clock.at(atMs, resolve)).then(() =>
          this.#read(result),
        ),
      );
    }
    await Promise.all(reads);
  }

  async #read(result: { refused: number; waitsMs: number[] }): Promise<void> {
    const askedAtMs = this.#clock.now();
    let sentAtMs = askedAtMs;
    const listPage = async (page: number) => {
      sentAtMs = this.#clock.now();
      return this.#answer(page);
    };
    const client = createGatedClient({
      connection: CONNECTION,
      lists: connectionListsOf({}, {}),
      connections: {
        open: async () => ({
          kind: 'open',
          keyVersion: 'v1',
          credential: 'v1/',
          listPage: ({ page }) => listPage(page),
          client: {
            pagesOf: () => listPage,
            read: () => Promise.reject(new Error('Not here.')),
            write: () => Promise.reject(new Error('Not here.')),
          },
        }),
      },
      gates: this.#gates('reader'),
      clock: this.#clockPort('reader'),
      random: this.#randomPort(),
      ...defined({ requestsPerSecond: this.#limit.requestsPerSecond }),
      recordMs: () => 20_000,
      onGateError: (error) => {
        throw error;
      },
    });
    const outcome = await client.listPage({ page: 1 });
    if (outcome.kind === 'page') result.waitsMs.push(sentAtMs - askedAtMs - LEDGER_MS);
    else result.refused++;
  }

  async #answer(page: number): Promise<ListOutcome> {
    const clock = this.#clock;
    const wayMs = () => LATENCY_MS / 2 + this.#random() * JITTER_MS;
    if (clock.now() < this.#blockedUntilMs) this.#early++;
    await clock.delay(wayMs());
    await this.#standStill('api');
    const admission = this.#limiter(clock.now());
    await clock.delay(wayMs());
    if (admission.kind === 'admitted') return pageOf(1_000_000, page, 1);
    return throttled(admission.waitSeconds);
  }

  #gates(process: Process): Gates {
    const memory = this.#memory;
    const call = async <T>(does: () => T, isWrite = true): Promise<T> => {
      const tookMs = LEDGER_MS * (1 + this.#random());
      if (isWrite) this.#ledgerWrites++;
      await this.#clock.delay(tookMs / 2);
      const done = does();
      await this.#clock.delay(tookMs / 2);
      await this.#standStill(process);
      return done;
    };
    return {
      ...asynchronous(memory, (name, does) => call(does, name !== 'read')),
      blockUntil: (...args) => {
        const [, untilMs] = args;
        // Others see it within a second at the latest.
        const seenAtMs = this.#clock.now() + 1_000 + 4 * LEDGER_MS;
        this.#clock.at(seenAtMs, () => {
          this.#blockedUntilMs = Math.max(this.#blockedUntilMs, untilMs);
        });
        return call(() => memory.blockUntil(...args));
      },
      changePlaces: (...args) => {
        // As DynamoDB refuses what is no number.
        if (JSON.stringify(args).includes('null')) throw new TypeError('No such number.');
        return call(() => memory.changePlaces(...args));
      },
    };
  }

  /** What comes in such a time is handled at its end, all at once. */
  async #standStill(process: Process): Promise<void> {
    const clock = this.#clock;
    if (this.#limit.standsStill !== process) return;
    const soon = () => -Math.log(1 - this.#random());
    while (this.#stillUntilMs < clock.now()) {
      this.#stillFromMs = this.#stillUntilMs + 1_500 * soon();
      this.#stillUntilMs = this.#stillFromMs + 250 * soon();
    }
    if (clock.now() > this.#stillFromMs) await clock.delay(this.#stillUntilMs - clock.now());
  }

  #clockPort(process: Process) {
    const clock = this.#clock;
    return {
      now: () => clock.now(),
      sleep: (ms: number, signal: AbortSignal) =>
        clock.sleep(ms, signal).then(() => this.#standStill(process)),
    };
  }

  #randomPort() {
    return { fraction: this.#random, token: () => `t${this.#tokens++}` };
  }
}
