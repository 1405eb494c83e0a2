import { asynchronous, MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { randomOf } from '../../../infra/simulator/random.ts';
import type { ListOutcome, ReadOutcome } from '../../../lib/customers-api/outcome.ts';
import { defined } from '../../../lib/defined.ts';
import { connectionListsOf } from '../../../lib/exports/connection-lists.ts';
import type { ClientConnection } from '../../../lib/gate/admitted-connection.ts';
import { createGatedClient } from '../../../lib/gate/gated-client.ts';
import { onSharedClock } from '../../../lib/gate/gates-on-shared-clock.ts';
import { amid, sampleOf } from '../../../lib/gate/organization-sample.ts';
import type {
  Connections,
  GateOpenings,
  Gates,
  NoKey,
  OrganizationEvent,
} from '../../../lib/gate/ports.ts';
import { delaySecondsUntil } from '../../../lib/steps/delay.ts';
import { type Accepted, acceptWrite } from '../../../lib/writes/accept-write.ts';
import { applyWrites } from '../../../lib/writes/apply-write.ts';
import type { WriteEvent, WritePorts } from '../../../lib/writes/ports.ts';
import {
  type Settled,
  type SettlementRequest,
  settleWrite,
} from '../../../lib/writes/settle-write.ts';
import { type SweptWrite, wakeOpenedWrites, wakeWrites } from '../../../lib/writes/wake-writes.ts';
import type { WriteReport } from '../../../lib/writes/write-report.ts';
import type { RequestedWrite, WriteMessage } from '../../../lib/writes/write-request.ts';
import type { WriteSettings } from '../../../lib/writes/write-settings.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { settingsWith } from '../../lib/writes/default-settings.ts';
import { calledGates } from '../called-gates.ts';
import { type FaultPlan, noFaults } from '../fault-plan.ts';
import { KeyCaches } from '../key-caches.ts';
import { organizationOf, pageOf } from '../model-api.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { Worker } from '../worker.ts';
import { type ClocksAheadMs, WorkerClock } from '../worker-clock.ts';
import { MemoryQueue } from './memory-queue.ts';
import { MemoryWriteLedger } from './memory-write-ledger.ts';
import { type ApiRules, ModelWriteApi, unclear, type WriteApi } from './model-write-api.ts';

export const CONNECTION = 'acme';

/** In the log of the API, instead of a write. */
const SAMPLE_CHECK = 'sample';

export interface WriteWorldOptions {
  readonly seed?: number;
  readonly settings?: Parameters<typeof settingsWith>[0];
  readonly api?: Partial<ApiRules>;
  /** Another API than the model. */
  readonly makeApi?: (clock: VirtualClock) => WriteApi;
  readonly faults?: FaultPlan;
  /** Probability that a message is delivered twice, or is lost. */
  readonly duplicates?: number;
  readonly losses?: number;
  /** Functions at once, and messages for each. */
  readonly concurrency?: number;
  readonly batchSize?: number;
  /** Of one request to the API, both ways. @default 20 to 120 */
  readonly latencyMs?: number;
  /** Processes that each keep a key for a minute, in turn. @default - every look at the key is a new one */
  readonly keyCaches?: number;
  readonly clocksAheadMs?: ClocksAheadMs;
}

/** Longer than a request may take, what follows it, and the longest wait for a slot. */
const TIMEOUT_MS = 120_000;

const CALM: ApiRules = {
  requestsPerSecond: 1_000,
  burst: 1_000,
  idempotencyKeyMs: 24 * 3600 * 1000,
  troubles: { errorAfterEffect: 0, errorBeforeEffect: 0, lateEffect: 0, lateMs: 0, untilMs: 0 },
};

/** SQS, the ledger, the API and Lambda in memory and in virtual time. */
export class WriteWorld {
  readonly clock = new VirtualClock();
  readonly ledger = new MemoryWriteLedger();
  readonly gates = new MemoryGates();
  readonly queue: MemoryQueue;
  readonly api: WriteApi;
  readonly settings: WriteSettings;
  readonly random: () => number;
  readonly events: WriteEvent[] = [];
  /** Whether secrets have the label of their organization. */
  hasLabels = true;
  readonly changes: OrganizationEvent[] = [];
  readonly reports: WriteReport[] = [];
  /** What the gate was told, and when. */
  readonly blocks: { readonly atMs: number; readonly untilMs: number }[] = [];
  readonly halts: { readonly atMs: number; readonly keyVersion: string }[] = [];
  /** When a caller tried last to store a new write. */
  readonly storedAtMs = new Map<string, number>();
  /** How long requests were on their way to the API, by the time of their arrival. */
  readonly travelMs = new Map<number, number>();
  keyVersion: string | undefined = 'v1';
  calls = 0;
  readonly #options: WriteWorldOptions;
  #workerCount = 0;
  readonly #keys: KeyCaches;
  /** Requests that take real time. */
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(options: WriteWorldOptions = {}) {
    this.#options = options;
    this.random = randomOf(options.seed ?? 1);
    this.settings = settingsWith(options.settings);
    this.#keys = new KeyCaches(options.keyCaches ?? 0);
    this.api =
      options.makeApi?.(this.clock) ??
      new ModelWriteApi(this.clock, this.random, { ...CALM, ...options.api });
    this.queue = new MemoryQueue({
      clock: this.clock,
      random: this.random,
      concurrency: options.concurrency ?? 3,
      batchSize: options.batchSize ?? 4,
      visibilityMs: 2 * TIMEOUT_MS,
      duplicates: options.duplicates ?? 0,
      losses: options.losses ?? 0,
      handle: (messages) => this.#apply(messages),
    });
  }

  /** As after an export with the first key, which leaves a label or a sample to compare. */
  exported(left: 'label' | 'sample'): void {
    const organization = { writeToken: 'exported', id: 'organization-a', credentials: ['v1/'] };
    this.hasLabels = left === 'label';
    const label = this.hasLabels ? organizationOf('v1') : undefined;
    const before = { ...organization, ...defined({ label }) };
    this.gates.replaceOrganization(CONNECTION, before, undefined);
    if (left === 'label') return;
    const sample = sampleOf({ resource: 'customers', query: {}, page: 2 }, pageOf(30, 2, 10), 0);
    this.gates.storeSample(CONNECTION, organization.id, amid(sample, 20));
  }

  stateOf(writeId: string): WriteState | undefined {
    return this.ledger.readWrite(CONNECTION, writeId);
  }

  accept(request: RequestedWrite): Promise<Accepted> {
    return this.#run((worker) => acceptWrite(this.portsOf(worker), this.settings, request));
  }

  settle(request: Omit<SettlementRequest, 'connection'>): Promise<Settled> {
    const asked = { connection: CONNECTION, ...request };
    return this.#run((worker) => settleWrite(this.portsOf(worker), this.settings, asked));
  }

  /** Wakes what waited for a gate that was opened. */
  wakeOpened(): Promise<void> {
    return this.#run((worker) =>
      wakeOpenedWrites(this.portsOf(worker), CONNECTION, this.gates.read(CONNECTION)),
    );
  }

  sweep(): Promise<readonly SweptWrite[]> {
    return this.#run((worker) => wakeWrites(this.portsOf(worker)));
  }

  /** As whoever calls would: asks again until it was answered. */
  async insist<T>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 0; tries < 30; tries++) {
      try {
        return await ask();
      } catch {
        await this.clock.delay(1_000);
      }
    }
    throw new Error('Never answered.');
  }

  /** Moves time until `isOver`, with a sweep every 15 minutes. */
  async runUntil(isOver: () => boolean, sweeps = true, maxTimers = 60_000): Promise<void> {
    let isRunning = true;
    const sweepLater = (): void => {
      this.clock.at(this.clock.now() + 15 * 60_000, () => {
        if (!isRunning) return;
        void this.sweep().catch(() => undefined);
        sweepLater();
      });
    };
    if (sweeps) sweepLater();
    for (let timers = 0; timers < maxTimers; timers++) {
      // Whatever follows from one timer needs no more than microtasks.
      await new Promise((resolve) => setImmediate(resolve));
      while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
      if (isOver()) {
        isRunning = false;
        return;
      }
      if (!this.clock.step()) return;
    }
    throw new Error(`not over after ${maxTimers} timers`);
  }

  portsOf(worker: Worker): WritePorts {
    const { ledger, clock } = this;
    const process = this.#workerCount;
    const { clocksAheadMs } = this.#options;
    const { call, shared } = new WorkerClock(clock, worker, process, clocksAheadMs);
    const ofLedger: Gates & GateOpenings = {
      ...calledGates(this, call),
      haltKeyVersion: (name, version) =>
        call('haltKeyVersion', () => {
          this.gates.haltKeyVersion(name, version);
          this.halts.push({ atMs: clock.now(), keyVersion: version.keyVersion });
        }),
    };
    const gates = clocksAheadMs === undefined ? ofLedger : onSharedClock(ofLedger, shared);
    const readKey = (freshness: 'cached' | 'fresh') =>
      this.#keys.read(process, freshness, this.keyVersion, clock.now());
    const connections: WritePorts['connections'] & Connections<ClientConnection> = {
      open: (_, freshness) => worker.call('open', () => this.#open(worker, readKey(freshness))),
    };
    const ownClock: WritePorts['clock'] = {
      now: shared.now,
      sleep: (ms, signal) => worker.sleep(ms, signal),
    };
    return {
      clock: ownClock,
      holdsKey: () => false,
      random: { fraction: this.random, token: () => worker.token() },
      ledger: {
        ...asynchronous(ledger, call),
        writeWrite: (next, token) =>
          call('writeWrite', () => {
            if (token === undefined) this.storedAtMs.set(next.writeId, clock.now());
            return ledger.writeWrite(next, token);
          }),
      },
      gates,
      connections,
      queue: {
        send: (pointer, dueAtMs = 0) =>
          worker.call('send', () =>
            this.queue.send({ kind: 'pointer', pointer }, delaySecondsUntil(dueAtMs, shared.now())),
          ),
      },
      events: { publish: (event) => worker.call('publish', () => void this.events.push(event)) },
      clients: {
        of: (connection, recordMs, boundTo, onWaitUntold) =>
          createGatedClient({
            lists: connectionListsOf({}, {}),
            connection,
            connections,
            gates,
            clock: ownClock,
            random: { fraction: this.random, token: () => worker.token() },
            recordMs,
            hasPlaces: true,
            events: {
              publish: (event) => worker.call('publish', () => void this.changes.push(event)),
            },
            boundTo,
            onWaitUntold,
            onGateError: () => undefined,
          }),
      },
    };
  }

  faultOf(name: string): ReturnType<FaultPlan> {
    return (this.#options.faults ?? noFaults)(this.calls++, name);
  }

  #apply(messages: readonly WriteMessage[]): Promise<readonly WriteReport[]> {
    const endsAtMs = this.clock.now() + TIMEOUT_MS;
    const invocation = { remainingMs: () => endsAtMs - this.clock.now() };
    return this.#run(async (worker) => {
      const reports = await applyWrites(
        this.portsOf(worker),
        (message) => {
          const { connection } = message.kind === 'request' ? message.request : message.pointer;
          return connection === CONNECTION ? this.settings : undefined;
        },
        messages,
        invocation,
      );
      this.reports.push(...reports);
      return reports;
    });
  }

  async #run<T>(work: (worker: Worker) => Promise<T>): Promise<T> {
    const worker = new Worker(this, `w${this.#workerCount++}`, TIMEOUT_MS);
    try {
      return await Promise.race([work(worker), worker.death]);
    } finally {
      worker.end();
    }
  }

  #noted<T>(answer: T | Promise<T>): T | Promise<T> {
    if (!(answer instanceof Promise)) return answer;
    this.#underWay.add(answer);
    return answer.finally(() => this.#underWay.delete(answer));
  }

  #open(worker: Worker, keyVersion: string | undefined): ClientConnection | NoKey {
    const { api } = this;
    if (keyVersion === undefined) {
      return { kind: 'no-key', reason: 'missing', message: 'There is no secret. Store one.' };
    }
    const ask = <T>(
      effect: () => T | Promise<T>,
      aborted: T,
      lost: T,
      signal?: AbortSignal | undefined,
    ) => {
      const leftAtMs = this.clock.now();
      const arrive = () => {
        const nowMs = this.clock.now();
        const longestMs = this.travelMs.get(nowMs) ?? 0;
        this.travelMs.set(nowMs, Math.max(longestMs, nowMs - leftAtMs));
        return this.#noted(effect());
      };
      return (
        worker
          .call('api', () => (signal?.aborted ? aborted : arrive()), {
            latencyMs: this.#options.latencyMs ?? 20 + Math.floor(this.random() * 100),
            ...(signal === undefined ? {} : { signal }),
          })
          // What goes wrong on the way to the API and back is a value.
          .catch(() => lost)
      );
    };
    const pagesOf: ClientConnection['client']['pagesOf'] =
      (_, query = {}) =>
      (page, { signal } = {}) =>
        ask<ListOutcome>(
          () => api.list(String(query['reference']), page, keyVersion),
          NO_ANSWER,
          NO_ANSWER,
          signal,
        );
    return {
      kind: 'open',
      keyVersion,
      credential: `${keyVersion}/`,
      ...(this.hasLabels ? { organizationLabel: organizationOf(keyVersion) } : {}),
      listPage: async ({ page }, signal) => {
        const answer = await ask<ListOutcome>(
          () => api.list(SAMPLE_CHECK, page, keyVersion),
          NO_ANSWER,
          NO_ANSWER,
          signal,
        );
        if (answer.kind !== 'page') return answer;
        return pageOf(30, page, 10, true, organizationOf(keyVersion));
      },
      client: {
        pagesOf,
        read: ({ resource, signal }) =>
          ask<ReadOutcome>(() => api.read(resource, keyVersion), NO_ANSWER, NO_ANSWER, signal),
        write: ({ signal, ...sent }) =>
          ask(
            () => api.write(sent, keyVersion),
            unclear('aborted', false),
            unclear('network'),
            signal,
          ),
      },
    };
  }
}

const NO_ANSWER = { kind: 'unavailable', reason: 'network', message: 'No answer came.' } as const;
