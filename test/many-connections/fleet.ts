import { MemoryGates, MemoryLedger } from '../../infra/command/try/memory-ledger.ts';
import { createUsageMeter, type UsageMeter } from '../../infra/local/endpoint/usage.ts';
import { randomOf } from '../../infra/simulator/random.ts';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import { exportIdOf } from '../../lib/exports/export-id.ts';
import { exportSettingsOf } from '../../lib/exports/export-settings.ts';
import { listSettingsOf } from '../../lib/exports/list-settings.ts';
import type { ExportPorts } from '../../lib/exports/ports.ts';
import { runStep } from '../../lib/exports/run-step.ts';
import { startAll } from '../../lib/exports/start-all.ts';
import { startExport } from '../../lib/exports/start-export.ts';
import { delaySecondsUntil } from '../../lib/steps/delay.ts';
import { MemoryStore } from '../faults/memory-store.ts';
import { type Behaviour, pageOf } from '../faults/model-api.ts';
import { VirtualClock } from '../faults/virtual-clock.ts';
import { FairQueue, type QueuedMessage } from './fair-queue.ts';

/** One organization and its API. */
export interface FleetConnection {
  readonly name: string;
  readonly pages: number;
  /** Made anew for each run: it remembers what it was asked. */
  readonly behaviour: () => Behaviour;
}

export interface FleetOptions {
  readonly connections: readonly FleetConnection[];
  /** `MaximumConcurrency` of the event source. */
  readonly maxConcurrentExports: number;
}

/** What became of one connection. */
export interface Course {
  /** From the first wake-up to the end of the export. */
  durationMs: number;
  /** Time in which a message of it was visible and no worker was free. */
  slotWaitMs: number;
  /** Time in workers. */
  workMs: number;
  steps: number;
  requests: number;
  throttles: number;
  firstSentAtMs: number;
}

/** Typical times of AWS inside a region; no result depends on their third digit. */
const LATENCY_MS = { dynamodb: 5, sqs: 10, s3: 40, secrets: 20, events: 15, api: 150 } as const;
const WORKER_TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 180_000;
const MEMORY_MB = { worker: 1024, start: 512 } as const;
/** Six times the timeout of the worker. */
const VISIBILITY_SECONDS = 1_800;
/** What a new process bills before its first invocation. */
const COLD_START_MS = 500;
const PER_PAGE = 10;
const SCHEDULED_TIME = '2026-01-01T00:00:00Z';

/** SQS, Lambda with a bound, the ledger, the store and many APIs in memory and in virtual time. */
export class Fleet {
  readonly clock = new VirtualClock(Date.parse(SCHEDULED_TIME));
  readonly ledger = new MemoryLedger();
  readonly store = new MemoryStore();
  readonly meter: UsageMeter = createUsageMeter();
  readonly courses = new Map<string, Course>();
  readonly rules = {
    export: exportSettingsOf({}),
    // The model's pages have one size.
    lists: new Map([
      ['customers', listSettingsOf('customers', { perPage: PER_PAGE, walk: 'fast' })],
    ]),
  };
  mostAtOnce = 0;
  messages = 0;
  starts = 0;
  readonly #gates = new MemoryGates();
  readonly #queue = new FairQueue(this.clock, () => this.#work());
  readonly #connections: ReadonlyMap<string, FleetConnection>;
  readonly #behaviours: ReadonlyMap<string, Behaviour>;
  readonly #requests = new Map<string, number>();
  readonly #maxConcurrentExports: number;
  #running = 0;
  #environments = 0;
  /** Invocations that wait for nothing in virtual time, so for the real event loop. */
  #busy = 0;

  constructor({ connections, maxConcurrentExports }: FleetOptions) {
    this.#connections = new Map(connections.map((each) => [each.name, each]));
    this.#behaviours = new Map(connections.map(({ name, behaviour }) => [name, behaviour()]));
    this.#maxConcurrentExports = maxConcurrentExports;
  }

  /** Starts all of them as the schedule does, and runs until nothing is left to do. */
  async run(): Promise<void> {
    this.meter.bill('schedulerInvocations');
    let isStarted = false;
    void this.#startAll().then(() => {
      isStarted = true;
    });
    do {
      await this.#settle();
    } while (this.clock.step());
    if (!isStarted) throw new Error('Not all were started.');
  }

  /** Sends the first wake-up of a connection again and again before all others, as no sweep ever would. */
  disturb(name: string, copies: number): void {
    const exportId = this.exportIdOf(name);
    for (let copy = 0; copy < copies; copy++) {
      this.#queue.send({ v: 1, connection: name, exportId, step: 0 }, 0);
    }
  }

  #wantedOf(name: string) {
    return { connection: name, list: 'customers', exportId: this.exportIdOf(name) };
  }

  exportIdOf(name: string): string {
    return exportIdOf(name, 'customers', { kind: 'schedule', scheduledTime: SCHEDULED_TIME });
  }

  async #startAll(): Promise<void> {
    let after: string | undefined;
    do {
      after = await this.#invoke('start', START_TIMEOUT_MS, async (invocation) => {
        this.starts += 1;
        const names = [...this.#connections.keys()];
        for (let from = 0; from < names.length; from += 100) {
          await invocation.call('secretsmanager', 'ListSecrets', LATENCY_MS.secrets);
        }
        const report = await startAll(
          {
            clock: this.clock,
            remainingMs: invocation.remainingMs,
            start: async (name) => {
              const ports = this.#portsOf(invocation, name);
              return (await startExport(ports, this.rules, this.#wantedOf(name))).kind;
            },
          },
          {
            scheduledAtMs: Date.parse(SCHEDULED_TIME),
            windowMs: 0,
            ...(after === undefined ? {} : { after }),
          },
          names,
        );
        return report.rest?.after;
      });
    } while (after !== undefined);
  }

  /** As Lambda's pollers do: takes messages while a worker may run. */
  #work(): void {
    while (this.#running < this.#maxConcurrentExports) {
      const message = this.#queue.receive();
      if (message === undefined) return;
      this.#running += 1;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
      void this.#step(message);
    }
  }

  async #step(message: QueuedMessage): Promise<void> {
    const { wakeUp, visibleAtMs } = message;
    const startedAtMs = this.clock.now();
    const course = this.#courseOf(wakeUp.connection);
    course.slotWaitMs += startedAtMs - visibleAtMs;
    this.#sqs('ReceiveMessage');
    const report = await this.#invoke('worker', WORKER_TIMEOUT_MS, (invocation) =>
      runStep(this.#portsOf(invocation, wakeUp.connection), this.rules, wakeUp, invocation),
    );
    course.steps += 1;
    course.workMs += this.clock.now() - startedAtMs;
    if (report.result === 'completed') {
      course.durationMs = this.clock.now() - course.firstSentAtMs;
    }
    if (report.answer === 'acknowledge') this.#sqs('DeleteMessage');
    this.#queue.done(message, report.answer === 'retry' ? VISIBILITY_SECONDS : undefined);
    this.#running -= 1;
    this.#work();
  }

  async #invoke<T>(
    name: keyof typeof MEMORY_MB,
    timeoutMs: number,
    work: (invocation: Invocation) => Promise<T>,
  ): Promise<T> {
    const startedAtMs = this.clock.now();
    this.#busy += 1;
    const result = await work(this.#invocation(startedAtMs + timeoutMs, timeoutMs));
    this.#busy -= 1;
    const isCold = name === 'worker' && this.#environments < this.#running;
    if (isCold) this.#environments += 1;
    this.meter.invocation(name, {
      durationMs: this.clock.now() - startedAtMs + (isCold ? COLD_START_MS : 0),
      memoryMb: MEMORY_MB[name],
      peakMemoryBytes: 0,
      cold: isCold,
      failed: false,
    });
    return result;
  }

  #invocation(endsAtMs: number, timeoutMs: number): Invocation {
    let waits = 0;
    const during = async (wait: () => Promise<void>) => {
      if (waits++ === 0) this.#busy -= 1;
      await wait();
      if (--waits === 0) this.#busy += 1;
    };
    return {
      remainingMs: () => endsAtMs - this.clock.now(),
      call: async (service, action, latencyMs) => {
        this.meter.call('fleet', service, action);
        await during(() => this.clock.delay(latencyMs));
      },
      sleep: (ms, signal) =>
        // A wait for its own end is none that work goes on after.
        ms > timeoutMs / 4
          ? this.clock.sleep(ms, signal)
          : during(() => this.clock.sleep(ms, signal)),
    };
  }

  /** Until nothing but time can make a difference. */
  async #settle(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#busy > 0);
  }

  #portsOf(invocation: Invocation, name: string): ExportPorts {
    const { clock, ledger, store, meter } = this;
    const random = randomOf(hashOf(`${name} ${this.#courseOf(name).steps}`));
    const dynamodb = async <T>(kind: 'read' | 'write', units: number, effect: () => T) => {
      await invocation.call('dynamodb', kind, LATENCY_MS.dynamodb);
      meter.bill(kind === 'read' ? 'dynamodbReadUnits' : 'dynamodbWriteUnits', units);
      return effect();
    };
    const s3 = async <T>(kind: 'put' | 'get' | 'free', effect: () => T) => {
      await invocation.call('s3', kind, LATENCY_MS.s3);
      if (kind !== 'free') meter.bill(kind === 'put' ? 's3PutLike' : 's3GetLike');
      return effect();
    };
    return {
      clock: { now: () => clock.now(), sleep: invocation.sleep },
      random: {
        fraction: random,
        token: () =>
          Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join(''),
      },
      ledger: {
        readExport: (...args) => dynamodb('read', 1, () => ledger.readExport(...args)),
        // A new one gets its place in the index of the history, one that is over comes into that of the untold: a unit more.
        writeExport: (next, token) =>
          dynamodb(
            'write',
            unitsOf(next) + (token === undefined || next.status !== 'running' ? 1 : 0),
            () => ledger.writeExport(next, token),
          ),
        listExports: (...args) => dynamodb('read', 1, () => ledger.listExports(...args)),
        putPart: (record) => dynamodb('write', unitsOf(record), () => ledger.putPart(record)),
        listParts: (...args) => dynamodb('read', 1, () => ledger.listParts(...args)),
        readLine: (...args) => dynamodb('read', 1, () => ledger.readLine(...args)),
        // And one unit for the sparse index.
        writeLine: (...args) => dynamodb('write', 2, () => ledger.writeLine(...args)),
        listLines: () => dynamodb('read', 1, () => ledger.listLines()),
      },
      gates: {
        read: (...args) => dynamodb('read', 1, () => this.#gates.read(...args)),
        blockUntil: (...args) => dynamodb('write', 1, () => this.#gates.blockUntil(...args)),
        haltKeyVersion: (...args) =>
          dynamodb('write', 1, () => this.#gates.haltKeyVersion(...args)),
        storePace: (connection, organizationId, pace) =>
          dynamodb('write', unitsOf(pace), () =>
            this.#gates.storePace(connection, organizationId, pace),
          ),
        storeSample: (...args) => dynamodb('write', 1, () => this.#gates.storeSample(...args)),
        changePlaces: (...args) => dynamodb('write', 1, () => this.#gates.changePlaces(...args)),
        replaceOrganization: (...args) =>
          dynamodb('write', 1, () => this.#gates.replaceOrganization(...args)),
      },
      store: {
        put: (key, body, about) => s3('put', () => store.put(key, body, about)),
        read: (key) => s3('get', () => store.read(key)),
        readBytes: (...args) => s3('get', () => store.readBytes(...args)),
        replace: (...args) => s3('put', () => store.replace(...args)),
        list: (prefix) => s3('put', () => store.list(prefix)),
        delete: (keys) => s3('free', () => store.delete(keys)),
      },
      queue: {
        send: async (wakeUp, dueAtMs = 0) => {
          await invocation.call('sqs', 'SendMessage', LATENCY_MS.sqs);
          meter.sqsPayload(JSON.stringify(wakeUp).length);
          this.messages += 1;
          const course = this.#courseOf(wakeUp.connection);
          course.firstSentAtMs = Math.min(course.firstSentAtMs, clock.now());
          this.#queue.send(wakeUp, delaySecondsUntil(dueAtMs, clock.now()));
        },
      },
      connections: {
        open: async () => {
          // Never one that is remembered: thousands of connections meet the same process seldom.
          await invocation.call('secretsmanager', 'GetSecretValue', LATENCY_MS.secrets);
          return {
            kind: 'open',
            keyVersion: 'v1',
            credential: 'v1/',
            listPage: ({ page }) => this.#listPage(invocation, name, page),
          };
        },
      },
      events: {
        publish: async () => {
          await invocation.call('events', 'PutEvents', LATENCY_MS.events);
          meter.bill('eventBridgeEvents');
        },
      },
    };
  }

  async #listPage(invocation: Invocation, name: string, page: number): Promise<ListOutcome> {
    const before = this.#requests.get(name) ?? 0;
    this.#requests.set(name, before + 1);
    const asked = { list: 'customers', page, perPage: PER_PAGE };
    const request = { atMs: this.clock.now(), ...asked, keyVersion: 'v1', before };
    const course = this.#courseOf(name);
    const refusal = this.#behaviours.get(name)?.(request);
    course.requests += 1;
    if (refusal?.kind === 'throttled') course.throttles += 1;
    await invocation.call('api', 'listPage', LATENCY_MS.api);
    const pages = this.#connections.get(name)?.pages ?? 0;
    return refusal ?? pageOf(pages * PER_PAGE, page, PER_PAGE);
  }

  #sqs(action: string): void {
    this.meter.call('fleet', 'sqs', action);
    this.meter.sqsPayload(1);
  }

  #courseOf(name: string): Course {
    const known = this.courses.get(name);
    if (known !== undefined) return known;
    const course: Course = {
      durationMs: Number.NaN,
      slotWaitMs: 0,
      workMs: 0,
      steps: 0,
      requests: 0,
      throttles: 0,
      firstSentAtMs: Number.POSITIVE_INFINITY,
    };
    this.courses.set(name, course);
    return course;
  }
}

interface Invocation {
  readonly remainingMs: () => number;
  readonly call: (service: string, action: string, latencyMs: number) => Promise<void>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A write of a started KB is a unit (DynamoDB pricing); attributes take about as much as JSON. */
function unitsOf(item: object): number {
  return Math.ceil(JSON.stringify(item).length / 1024);
}

/** FNV-1a, so that what a connection meets is the same alone and among others. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}
