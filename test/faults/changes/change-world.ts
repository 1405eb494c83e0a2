import { gzipSync } from 'node:zlib';
import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import { randomOf } from '../../../infra/simulator/random.ts';
import { beginComparison } from '../../../lib/changes/begin-comparison.ts';
import { type ChangeKind, LINE_END, lineHead } from '../../../lib/changes/change.ts';
import { type ChangeSettings, changeSettingsOf } from '../../../lib/changes/change-settings.ts';
import type { ComparedExport } from '../../../lib/changes/change-state.ts';
import {
  type ChangesSummary,
  changesFileKey,
  changesSummaryKey,
} from '../../../lib/changes/changes-summary.ts';
import {
  type Decided,
  type DecisionRequest,
  decideChanges,
} from '../../../lib/changes/decide-changes.ts';
import { endComparison } from '../../../lib/changes/end-comparison.ts';
import { isTooMuchRemoved } from '../../../lib/changes/hold-changes.ts';
import type { ChangePointer, ChangesEvent, PublishPorts } from '../../../lib/changes/ports.ts';
import { publishStep } from '../../../lib/changes/publish-step.ts';
import type { RecordEntry } from '../../../lib/changes/record-event.ts';
import { wakeChanges } from '../../../lib/changes/wake-changes.ts';
import { defined } from '../../../lib/defined.ts';
import { storeJson } from '../../../lib/exports/store-objects.ts';
import { folderOf } from '../../../lib/exports/stored-manifest.ts';
import { delaySecondsUntil } from '../../../lib/steps/delay.ts';
import { type FaultPlan, noFaults } from '../fault-plan.ts';
import { MemoryStore, sha256Of } from '../memory-store.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { Worker } from '../worker.ts';
import { type ClocksAheadMs, WorkerClock } from '../worker-clock.ts';
import { MemoryChangeLedger } from './memory-change-ledger.ts';

/** Text of records by the JSON text of their ids. */
export type Records = ReadonlyMap<string, string>;

export interface ModelExport extends ComparedExport {
  readonly records: Records;
}

export interface ChangeWorldOptions {
  readonly seed?: number;
  readonly settings?: Partial<ChangeSettings>;
  readonly faults?: FaultPlan;
  /** Probability that a message is delivered twice, or that a wake-up is lost. */
  readonly duplicates?: number;
  readonly losses?: number;
  /** Probability that EventBridge refuses an entry. */
  readonly refusals?: number;
  /** Lines of a block of the files. @default 7 */
  readonly blockLines?: number;
  /** Blocks of a file. @default 2 */
  readonly fileBlocks?: number;
  readonly clocksAheadMs?: ClocksAheadMs;
  /** How long EventBridge takes. @default - as any other call */
  readonly putMs?: number;
}

export const LIST = { connection: 'acme', list: 'customers' } as const;

const TIMEOUT_MS = 60_000;
/** As long as the queue hides a message that was received. */
const HIDDEN_MS = 6 * TIMEOUT_MS;
const SWEEP_MS = 5 * 60_000;

export interface Change {
  readonly change: ChangeKind;
  readonly id: string;
  readonly record: string;
}

/** What became of each record between two exports, by id. */
export function differences(before: Records, now: Records): readonly Change[] {
  const ids = [...new Set([...before.keys(), ...now.keys()])].sort();
  return ids.flatMap((id): Change[] => {
    const [was, is] = [before.get(id), now.get(id)];
    if (is === undefined) return [{ change: 'removed', id, record: was ?? '' }];
    if (was === undefined) return [{ change: 'added', id, record: is }];
    return was === is ? [] : [{ change: 'changed', id, record: is }];
  });
}

/** The queues, the ledger, the store, EventBridge and Lambda in memory and in virtual time. */
export class ChangeWorld {
  readonly clock = new VirtualClock();
  readonly ledger = new MemoryChangeLedger();
  readonly store = new MemoryStore();
  readonly exports = new Map<string, ModelExport>();
  readonly events: ChangesEvent[] = [];
  /** As EventBridge took them, repeats too. */
  readonly told: RecordEntry[] = [];
  readonly random: () => number;
  readonly settings: ChangeSettings;
  calls = 0;
  /** Messages and functions under way. */
  busy = 0;
  readonly #options: ChangeWorldOptions;
  #workerCount = 0;
  readonly #workers = new Set<Worker>();

  constructor(options: ChangeWorldOptions = {}) {
    this.#options = options;
    this.random = randomOf(options.seed ?? 1);
    this.settings = changeSettingsOf({ events: true, ...options.settings });
  }

  /** The export is complete: the message of it is in the queue. */
  completed(exportId: string, records: Records): void {
    const startedAtMs = this.clock.now();
    const manifestKey = `exports/export=${exportId}/manifest.json`;
    const told = { ...LIST, exportId, startedAtMs, manifestKey };
    this.exports.set(exportId, { ...told, records });
    this.#deliver(() => this.#compare(told));
  }

  decide(request: Omit<DecisionRequest, 'connection'>): Promise<Decided> {
    const asked = { connection: LIST.connection, ...request };
    return this.run((worker) => decideChanges(this.portsOf(worker), asked));
  }

  faultOf(name: string) {
    return (this.#options.faults ?? noFaults)(this.calls++, name);
  }

  /**
   * Moves time until nothing is left to do, with a sweep every five minutes.
   *
   * @param untilMs When the last that comes from outside has come.
   */
  async runOut(untilMs: number, maxTimers = 60_000): Promise<void> {
    const sweepLater = (): void => {
      this.clock.at(this.clock.now() + SWEEP_MS, () => {
        const isCalm = this.busy === 0 && this.ledger.listUnfinishedChanges().length === 0;
        if (isCalm && this.clock.now() > untilMs) return;
        void this.run((worker) => wakeChanges(this.portsOf(worker))).catch(() => undefined);
        sweepLater();
      });
    };
    sweepLater();
    for (let timers = 0; timers < maxTimers; timers++) {
      // What a function does between its calls takes real time: gunzip has threads of its own.
      do await new Promise((resolve) => setImmediate(resolve));
      while ([...this.#workers].some(({ waits }) => waits === 0));
      if (!this.clock.step()) return;
    }
    throw new Error(`not over after ${maxTimers} timers`);
  }

  async run<T>(work: (worker: Worker) => Promise<T>): Promise<T> {
    const worker = new Worker(this, `w${this.#workerCount++}`, TIMEOUT_MS);
    this.#workers.add(worker);
    this.busy++;
    try {
      return await Promise.race([work(worker), worker.death]);
    } finally {
      this.#workers.delete(worker);
      this.busy--;
      worker.end();
    }
  }

  portsOf(worker: Worker): PublishPorts {
    const { ledger, clock, store } = this;
    const { clocksAheadMs, putMs } = this.#options;
    const { call, shared } = new WorkerClock(clock, worker, this.#workerCount, clocksAheadMs);
    return {
      clock: { now: shared.now, sleep: (ms, signal) => worker.sleep(ms, signal) },
      random: { fraction: this.random, token: () => worker.token() },
      ledger: asynchronous(ledger, call),
      queue: {
        send: (pointer, dueAtMs = 0) =>
          worker.call('send', () => this.#send(pointer, delaySecondsUntil(dueAtMs, shared.now()))),
      },
      events: { publish: (event) => worker.call('publish', () => void this.events.push(event)) },
      integration: 'Integration',
      bucket: 'bucket',
      store: { readWhole: (key) => worker.call('readWhole', () => store.objects.get(key)) },
      bus: {
        put: (entries) =>
          worker.call('putEvents', () => this.#put(entries), defined({ latencyMs: putMs })),
      },
    };
  }

  #put(entries: readonly RecordEntry[]): readonly RecordEntry[] {
    if (entries.length > 10) throw new Error('ValidationException: more than 10 entries');
    const refused = entries.filter(() => this.random() < (this.#options.refusals ?? 0));
    this.told.push(...entries.filter((each) => !refused.includes(each)));
    return refused;
  }

  #send(pointer: ChangePointer, delaySeconds: number): void {
    if (this.random() < (this.#options.losses ?? 0)) return;
    this.#deliver(() => this.#publish(pointer), delaySeconds * 1000);
  }

  /** A handler answers after how many seconds it wants the message again; `undefined`: never. */
  #deliver(handle: () => Promise<number | undefined>, delayMs = 0): void {
    const copies = this.random() < (this.#options.duplicates ?? 0) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      this.#showAfter(handle, delayMs + copy * Math.floor(this.random() * 20_000));
    }
  }

  #showAfter(handle: () => Promise<number | undefined>, ms: number): void {
    this.busy++;
    this.clock.at(this.clock.now() + ms, () => {
      this.busy--;
      handle().then(
        (seconds) => {
          if (seconds !== undefined) this.#showAfter(handle, seconds * 1000);
        },
        () => this.#showAfter(handle, HIDDEN_MS),
      );
    });
  }

  async #publish(pointer: ChangePointer): Promise<number | undefined> {
    const endsAtMs = this.clock.now() + TIMEOUT_MS;
    const invocation = { remainingMs: () => endsAtMs - this.clock.now() };
    const { answer } = await this.run((worker) =>
      publishStep(this.portsOf(worker), pointer, invocation),
    );
    return answer === 'retry' ? HIDDEN_MS / 1000 : undefined;
  }

  /** As the function that compares would do it. */
  async #compare(told: ComparedExport): Promise<number | undefined> {
    const endsAtMs = this.clock.now() + TIMEOUT_MS;
    return this.run(async (worker) => {
      const ports = this.portsOf(worker);
      const begun = await beginComparison(ports, told, {
        remainingMs: () => endsAtMs - this.clock.now(),
      });
      if (begun.kind === 'wait') return begun.seconds;
      if (begun.kind !== 'compare') return undefined;
      // A person may decide meanwhile.
      await worker.sleep(this.random() * 10_000, new AbortController().signal);
      const now = this.#recordsOf(told.exportId);
      const before = begun.base && this.#recordsOf(begun.base.exportId);
      const counts = countsOf(before, now);
      const changes = before === undefined ? [] : differences(before, now);
      const { files, bodies } = this.#filesOf(told, changes);
      const summary = this.#summaryOf(told, counts, files);
      const { body, about } = storeJson(summary);
      const key = changesSummaryKey(folderOf(told.manifestKey), about.sha256);
      for (const [place, bytes] of [...bodies, [key, body] as const]) {
        await worker.call('put', () => void this.store.objects.set(place, bytes));
      }
      const stored = { key, sha256: about.sha256 };
      const state = await endComparison(ports, {
        told,
        settings: this.settings,
        historyDays: 90,
        result:
          begun.base === undefined
            ? { kind: 'first', counts, summary: stored }
            : { kind: 'compared', since: begun.base, counts, summary: stored },
      });
      return state.status === 'outdated' ? 1 : undefined;
    });
  }

  #recordsOf(exportId: string): Records {
    const found = this.exports.get(exportId);
    if (found === undefined) throw new Error(`There is no export ${exportId}.`);
    return found.records;
  }

  #filesOf({ manifestKey }: ComparedExport, changes: readonly Change[]) {
    const { blockLines = 7, fileBlocks = 2 } = this.#options;
    const files: ChangesSummary['files'][number][] = [];
    const bodies: (readonly [string, Uint8Array])[] = [];
    for (let at = 0; at < changes.length; at += blockLines * fileBlocks) {
      const blocks: [number, number, number, number][] = [];
      const members: Uint8Array[] = [];
      const inFile = changes.slice(at, at + blockLines * fileBlocks);
      for (let from = 0; from < inFile.length; from += blockLines) {
        const some = inFile.slice(from, from + blockLines);
        const bytes = gzipSync(some.map((each, index) => lineOf(each, at + from + index)).join(''));
        const count = (kind: ChangeKind) => some.filter(({ change }) => change === kind).length;
        members.push(bytes);
        blocks.push([bytes.length, count('added'), count('changed'), count('removed')]);
      }
      const body = Buffer.concat(members);
      const sha256 = sha256Of(body);
      const key = changesFileKey(folderOf(manifestKey), files.length + 1, sha256);
      bodies.push([key, body]);
      files.push({ key, bytes: body.length, sha256, blocks });
    }
    return { files, bodies };
  }

  #summaryOf(
    told: ComparedExport,
    counts: ChangesSummary['counts'],
    files: ChangesSummary['files'],
  ): ChangesSummary {
    const { maxRemovedPercent } = this.settings;
    const time = new Date(told.startedAtMs).toISOString();
    return {
      version: 1,
      ...LIST,
      exportId: told.exportId,
      idKey: 'id',
      startedAt: time,
      endedAt: time,
      state: isTooMuchRemoved(counts, maxRemovedPercent) ? 'held' : 'found',
      counts,
      removedPercent: 0,
      maxRemovedPercent,
      files,
    };
  }
}

function lineOf({ change, id, record }: Change, line: number): string {
  const at = { key: 'exports/part-00001.ndjson.gz', line: line + 1 };
  return `${lineHead({ change, id, at })}${record}${LINE_END}`;
}

function countsOf(before: Records = new Map(), now: Records): ChangesSummary['counts'] {
  const changes = differences(before, now);
  const count = (kind: ChangeKind) => changes.filter(({ change }) => change === kind).length;
  const [added, changed, removed] = [count('added'), count('changed'), count('removed')];
  const unchanged = now.size - added - changed;
  return { before: before.size, now: now.size, added, changed, removed, unchanged };
}
