import { asynchronous, MemoryGates, MemoryLedger } from '../../infra/command/try/memory-ledger.ts';
import { randomOf } from '../../infra/simulator/random.ts';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import { defined } from '../../lib/defined.ts';
import type { ExportRules } from '../../lib/exports/begin-export.ts';
import { type Cancelled, cancelExport } from '../../lib/exports/cancel-export.ts';
import { CarriedPages } from '../../lib/exports/carried-pages.ts';
import { type ExportSettings, exportSettingsOf } from '../../lib/exports/export-settings.ts';
import { type ExportState, hasEnded } from '../../lib/exports/export-state.ts';
import { sweepAtMs } from '../../lib/exports/export-steps.ts';
import { type ListSettings, listSettingsOf } from '../../lib/exports/list-settings.ts';
import type { ExportEvent, ExportPorts, UntoldExports, WakeUp } from '../../lib/exports/ports.ts';
import { runStep } from '../../lib/exports/run-step.ts';
import { type Started, startExport } from '../../lib/exports/start-export.ts';
import type { StepReport } from '../../lib/exports/step-report.ts';
import { type SweptExport, wakeExports, wakeOpenedExport } from '../../lib/exports/wake-exports.ts';
import { lookAtGate, MAX_GATE_AGE_MS } from '../../lib/gate/gate-look.ts';
import { onSharedClock } from '../../lib/gate/gates-on-shared-clock.ts';
import { openGate } from '../../lib/gate/open-gate.ts';
import type {
  GateOpenings,
  Gates,
  NoKey,
  OpenConnection,
  OrganizationEvent,
  PageRequest,
} from '../../lib/gate/ports.ts';
import { delaySecondsUntil } from '../../lib/steps/delay.ts';
import { isHeld } from '../../lib/steps/step-item.ts';
import { calledGates } from './called-gates.ts';
import { type FaultPlan, noFaults } from './fault-plan.ts';
import { KeyCaches } from './key-caches.ts';
import { MemoryStore } from './memory-store.ts';
import { type Behaviour, organizationOf, pageOf } from './model-api.ts';
import { VirtualClock } from './virtual-clock.ts';
import { Worker } from './worker.ts';
import { type ClocksAheadMs, WorkerClock } from './worker-clock.ts';

export const CONNECTION = 'acme';

/** The oldest look at the gate that allows a request, and the longest time that its answer takes. */
const OLDEST_LOOK_MS = MAX_GATE_AGE_MS + 12;

/** Of real time; even on a busy machine all that is waited for takes less. */
const MAX_SETTLE_MS = 20_000;

export interface WorldOptions {
  readonly seed?: number;
  readonly customers?: number;
  /** Records of other lists of the connection, by name. */
  readonly lists?: Readonly<Record<string, number>>;
  readonly perPage?: number;
  /** @default 'fast': the pages of most tests are counted */
  readonly walk?: ListSettings['walk'];
  /** As an operator sets it. */
  readonly order?: ListSettings['order'];
  readonly hasMeta?: boolean;
  readonly settings?: Partial<ExportSettings>;
  readonly behaviour?: Behaviour;
  readonly faults?: FaultPlan;
  /** Probability that a message is delivered twice. */
  readonly duplicates?: number;
  /** Probability that a message is lost. */
  readonly losses?: number;
  readonly latencyMs?: number;
  /** How long a part takes to be stored. @default - as any other call */
  readonly putMs?: number;
  /** How long a read of an index takes. @default - as any other call */
  readonly readMs?: number;
  readonly timeoutMs?: number;
  readonly clocksAheadMs?: ClocksAheadMs;
  /** Processes that each keep a key for a minute, in turn. @default - every look at the key is a new one */
  readonly keyCaches?: number;
}

export interface SentRequest {
  readonly atMs: number;
  readonly list: string;
  readonly page: number;
  readonly itemsKey?: string | false;
  readonly keyVersion: string;
  readonly worker: Worker;
  /** Whether the worker held the live lease of the export when it sent this. */
  readonly hadLease: boolean;
  /** Whether another worker held a live lease of any export of the connection whose list had not ended. */
  readonly hadCompany: boolean;
  /** By a wait that the worker had to know, as the gate had it before the oldest look that allows a request. */
  readonly wasBlocked: boolean;
  readonly wasHalted: boolean;
  answeredAtMs?: number;
  outcome?: ListOutcome;
}

/** SQS, the ledger, the store, the API and Lambda in memory and in virtual time. */
export class World {
  readonly clock = new VirtualClock();
  readonly ledger = new MemoryLedger();
  readonly gates = new MemoryGates();
  readonly store = new MemoryStore();
  readonly events: ExportEvent[] = [];
  readonly changes: OrganizationEvent[] = [];
  readonly requests: SentRequest[] = [];
  /** All workers are one process after the other in the same environment. */
  readonly #carried = new CarriedPages();
  readonly reports: StepReport[] = [];
  readonly delays: number[] = [];
  /** The waits that were recorded in the gate, and when. */
  readonly blocks: { readonly atMs: number; readonly untilMs: number }[] = [];
  readonly random: () => number;
  readonly settings: ExportSettings;
  rules: ExportRules;
  keyVersion: string | undefined = 'v1';
  /** Probability that a message is lost. */
  losses: number;
  calls = 0;
  /** Parts that were stored by a worker that stood still while it stored them. */
  hasFrozenPut = false;
  readonly #options: WorldOptions;
  readonly #workers = new Set<Worker>();
  #workerCount = 0;
  readonly #keys: KeyCaches;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.random = randomOf(options.seed ?? 1);
    this.losses = options.losses ?? 0;
    this.#keys = new KeyCaches(options.keyCaches ?? 0);
    // Below the least part that is worth storing, so that short lists have several.
    this.settings = { ...exportSettingsOf({}), ...options.settings };
    const { walk = 'fast', order } = options;
    const perList = { perPage: 10, walk, ...defined({ order }) };
    const lists = ['customers', ...Object.keys(options.lists ?? {})];
    this.rules = {
      export: this.settings,
      lists: new Map(lists.map((list) => [list, listSettingsOf(list, perList)])),
    };
  }

  get customers(): number {
    return this.#options.customers ?? 200;
  }

  /** As an update of the stack with other settings. */
  removeList(name: string): void {
    const lists = [...this.rules.lists].filter(([list]) => list !== name);
    this.rules = { ...this.rules, lists: new Map(lists) };
  }

  recordsIn(list: string): number {
    return this.#options.lists?.[list] ?? this.customers;
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs ?? 60_000;
  }

  start(exportId: string, list = 'customers'): Promise<Started> {
    return this.#run((worker) =>
      startExport(this.portsOf(worker), this.rules, { connection: CONNECTION, list, exportId }),
    );
  }

  cancel(exportId: string, parts: 'keep' | 'remove', reason = 'Wanted.'): Promise<Cancelled> {
    return this.#run((worker) =>
      cancelExport(this.portsOf(worker), this.rules, {
        ...{ connection: CONNECTION, exportId, by: 'ada', reason, parts },
      }),
    );
  }

  async sweep(): Promise<readonly SweptExport[]> {
    return this.#run((worker) => wakeExports(this.portsOf(worker), () => this.rules));
  }

  /** @param isWoken What waits is woken too; otherwise that call is lost. */
  openGate(isWoken: boolean): Promise<void> {
    return this.#run(async (worker) => {
      const { events: _events, ...ports } = this.portsOf(worker);
      const by = { connection: CONNECTION, by: 'ada', reason: 'A mistake of the API.' };
      const events = { publish: async () => undefined };
      const { gate } = await openGate({ ...ports, events }, by);
      if (isWoken) await wakeOpenedExport(ports, CONNECTION, gate);
    });
  }

  /** Another function asks for the first page, if the gate lets it. */
  liveRead(): Promise<void> {
    return this.#run(async (worker) => {
      const ports = this.portsOf(worker);
      const { blockedUntilMs } = await lookAtGate(ports, CONNECTION);
      const opened = await ports.connections.open(CONNECTION, 'cached');
      if (blockedUntilMs > ports.clock.now() || opened.kind !== 'open') return;
      const page = { list: 'customers', resource: 'customers', page: 1, query: {} };
      await opened.listPage(page, new AbortController().signal);
    });
  }

  /** Moves time until `isOver`; with a sweep every 15 minutes if wanted. */
  async runUntil(isOver: () => boolean, sweeps: boolean, maxTimers = 50_000): Promise<void> {
    const sweepLater = () =>
      this.clock.at(this.clock.now() + 15 * 60_000, () => {
        void this.sweep().catch(() => undefined);
        sweepLater();
      });
    if (sweeps) sweepLater();
    for (let timers = 0; timers < maxTimers; timers++) {
      await this.settle();
      if (isOver()) return;
      if (!this.clock.step()) return;
    }
    throw new Error(`not over after ${maxTimers} timers`);
  }

  /** Until nothing but time can make a difference. */
  async settle(): Promise<void> {
    const endMs = performance.now() + MAX_SETTLE_MS;
    for (let turn = 0; performance.now() < endMs; turn++) {
      // What takes longer than some turns is a compression, in another thread.
      await new Promise((resolve) => (turn < 20 ? setImmediate(resolve) : setTimeout(resolve)));
      const isBusy = [...this.#workers].some((worker) => worker.isAlive && worker.waits === 0);
      if (!isBusy && turn > 0) return;
    }
    throw new Error('a worker waits for nothing');
  }

  /** Without the copy that is read: this is asked after each event. */
  statusOf(exportId: string): ExportState['status'] | undefined {
    return this.ledger.exports.get(`${CONNECTION}/${exportId}`)?.status;
  }

  isIdle(): boolean {
    const { lines, exports } = this.ledger;
    if (lines.size > 0 || this.#workers.size > 0) return false;
    return [...exports.values()].every((state) => sweepAtMs(state) === undefined);
  }

  deliver(wakeUp: WakeUp, received = 0): void {
    // As with SQS: after some failures the message goes to the dead-letter queue.
    if (received >= 5) return;
    const again = this.clock.at(this.clock.now() + this.timeoutMs * 2, () =>
      this.deliver(wakeUp, received + 1),
    );
    void this.#run(async (worker) => {
      const deadlineMs = this.clock.now() + this.timeoutMs;
      const invocation = { remainingMs: () => deadlineMs - this.clock.now() };
      return runStep(this.portsOf(worker), this.rules, wakeUp, invocation);
    }).then(
      (report) => {
        this.reports.push(report);
        if (report.answer === 'acknowledge') again();
      },
      () => undefined,
    );
  }

  portsOf(
    worker: Worker,
  ): ExportPorts & { readonly gates: Gates & GateOpenings; readonly ledger: UntoldExports } {
    const { ledger, store, clock } = this;
    const process = this.#workerCount;
    const { clocksAheadMs } = this.#options;
    const own = new WorkerClock(clock, worker, process, clocksAheadMs);
    const ofGates = (each: Gates & GateOpenings) =>
      clocksAheadMs === undefined ? each : onSharedClock(each, own.shared);
    const readKey = (freshness: 'cached' | 'fresh') =>
      this.#keys.read(process, freshness, this.keyVersion, clock.now());
    const { putMs, readMs } = this.#options;
    const storeMs = new Map(Object.entries(defined({ put: putMs, readBytes: readMs })));
    return {
      clock: { now: own.shared.now, sleep: (ms, signal) => worker.sleep(ms, signal) },
      random: { fraction: this.random, token: () => worker.token() },
      ledger: asynchronous(ledger, own.call),
      gates: ofGates(calledGates(this, own.call)),
      store: asynchronous(store, (name, effect) =>
        worker.call(name, effect, defined({ latencyMs: storeMs.get(name) })),
      ),
      queue: {
        send: (wakeUp, dueAtMs = 0) =>
          worker.call('send', () =>
            this.#send(wakeUp, delaySecondsUntil(dueAtMs, own.shared.now())),
          ),
      },
      connections: {
        open: (_, freshness) => worker.call('open', () => this.#open(worker, readKey(freshness))),
      },
      events: {
        publish: (event) =>
          worker.call('publish', () => {
            if (event.kind === 'organization-changed') this.changes.push(event);
            else this.events.push(event);
          }),
      },
      carried: this.#carried,
    };
  }

  faultOf(name: string): ReturnType<FaultPlan> {
    return (this.#options.faults ?? noFaults)(this.calls++, name);
  }

  stoodStill(calls: ReadonlySet<string>): void {
    if (calls.has('put')) this.hasFrozenPut = true;
  }

  async #run<T>(work: (worker: Worker) => Promise<T>): Promise<T> {
    const worker = new Worker(this, `w${this.#workerCount++}`, this.timeoutMs);
    this.#workers.add(worker);
    try {
      return await Promise.race([work(worker), worker.death]);
    } finally {
      worker.end();
      this.#workers.delete(worker);
    }
  }

  #send(wakeUp: WakeUp, delaySeconds: number): void {
    this.delays.push(delaySeconds);
    const { duplicates = 0 } = this.#options;
    const copies = (this.random() < this.losses ? 0 : 1) + (this.random() < duplicates ? 1 : 0);
    for (let copy = 0; copy < copies; copy++) {
      const lateMs = copy * Math.floor(this.random() * 5_000);
      this.clock.at(this.clock.now() + delaySeconds * 1000 + lateMs, () => this.deliver(wakeUp));
    }
  }

  #open(worker: Worker, keyVersion: string | undefined): OpenConnection | NoKey {
    if (keyVersion === undefined) {
      return { kind: 'no-key', reason: 'missing', message: 'There is no secret. Store one.' };
    }
    return {
      kind: 'open',
      keyVersion,
      credential: `${keyVersion}/`,
      listPage: (request, signal) => this.#listPage(worker, keyVersion, request, signal),
    };
  }

  async #listPage(
    worker: Worker,
    keyVersion: string,
    { list, page, perPage = 10, itemsKey, isProbe }: PageRequest,
    signal: AbortSignal,
  ): Promise<ListOutcome> {
    const atMs = this.clock.now();
    const held = [...this.ledger.exports.values()].filter((state) => isHeld(state, atMs));
    const isOwn = ({ lease }: ExportState) => worker.tokens.has(lease?.owner ?? '');
    const hadLease = held.some(isOwn);
    const gate = this.gates.read(CONNECTION);
    const oldestLookMs = atMs - OLDEST_LOOK_MS;
    const sent: SentRequest = {
      atMs,
      list,
      page,
      ...defined({ itemsKey }),
      keyVersion,
      worker,
      hadLease,
      hadCompany: held.some((state) => !isOwn(state) && !hasEnded(state)),
      wasBlocked: this.blocks.some(
        (block) => block.untilMs > atMs && block.atMs < Math.max(worker.startedAtMs, oldestLookMs),
      ),
      wasHalted: gate.haltedKeyVersions.includes(keyVersion),
    };
    const before = this.requests.push(sent) - 1;
    const answer =
      this.#options.behaviour?.({
        atMs,
        list,
        page,
        perPage,
        keyVersion,
        before,
        ...defined({ isProbe }),
      }) ??
      pageOf(
        this.recordsIn(list),
        page,
        this.#options.perPage ?? perPage,
        this.#options.hasMeta,
        organizationOf(keyVersion),
        list,
      );
    const latencyMs = this.#options.latencyMs ?? 20 + Math.floor(this.random() * 100);
    const outcome = await worker.call<ListOutcome>(
      'listPage',
      () => {
        if (signal.aborted) {
          return { kind: 'unavailable', reason: 'aborted', message: 'The request was ended.' };
        }
        return answer;
      },
      { latencyMs, signal },
    );
    sent.answeredAtMs = this.clock.now();
    sent.outcome = outcome;
    return outcome;
  }
}
