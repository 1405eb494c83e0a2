import { gunzipSync } from 'node:zlib';
import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import { type Change, parseChangeLine } from '../../../lib/changes/change.ts';
import { changeSettingsOf } from '../../../lib/changes/change-settings.ts';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import type { ChangesFile } from '../../../lib/changes/changes-summary.ts';
import { type Comparison, compareExport } from '../../../lib/changes/compare-export.ts';
import { type ComparedRecords, compareRecords } from '../../../lib/changes/compare-records.ts';
import type { ComparedExports, ComparePorts } from '../../../lib/changes/compared-exports.ts';
import type { ChangePorts, ChangesEvent } from '../../../lib/changes/ports.ts';
import type { Compression } from '../../../lib/exports/compression.ts';
import type { CompletedExport } from '../../../lib/exports/describe-export.ts';
import { storeJson } from '../../../lib/exports/store-objects.ts';
import type { StoredManifest } from '../../../lib/exports/stored-manifest.ts';
import { MemoryChangeLedger } from '../../faults/changes/memory-change-ledger.ts';
import { sha256Of } from '../../faults/memory-store.ts';
import { FailingWorld, Outage } from '../exports/failing-world.ts';

/** The records of each part. */
export type Parts = readonly (readonly string[])[];

/** A bucket with exports, and comparisons of them whose calls may fail and whose time may be up. */
export class ComparisonWorld extends FailingWorld {
  readonly ledger = new MemoryChangeLedger();
  readonly published: ChangesEvent[] = [];
  /** By the id of an export. @default 'gzip' */
  compressions: Readonly<Record<string, Compression>> = {};
  /** What the connection sets. */
  settings = changeSettingsOf();
  /** How often another comparison came first. */
  waits = 0;
  #tokens = 0;
  #nowMs = Date.parse('2026-02-01T00:00:00Z');
  /** What a worker waits for before it stores an object. */
  beforePut: (key: string) => Promise<void> = async () => undefined;
  /** Questions whether time is up that are answered with no, in each invocation. */
  sharesAtOnce = Number.POSITIVE_INFINITY;
  invocations = 0;

  /** Stores an export that is proven complete. */
  complete(exportId: string, parts: Parts, about: Partial<StoredManifest> = {}): StoredManifest {
    const time = `2026-01-0${exportId.length}T00:00:00.000Z`;
    const manifest: StoredManifest = {
      ...{ connection: 'acme', list: 'customers', exportId, organizationId: 'one' },
      ...{ resource: 'customers', query: {}, startedAt: time, endedAt: time },
      completeness: { verdict: 'complete' },
      ids: { keys: ['id'], missing: 0 },
      ...about,
      parts: this.storeParts(exportId, parts, this.compressions[exportId]),
    };
    this.memory.objects.set(`${this.folderOf(exportId)}manifest.json`, storeJson(manifest).body);
    return manifest;
  }

  exportsOf(before: Parts, now: Parts): ComparedExports {
    const folder = this.folderOf('newer');
    return {
      before: this.complete('older', before),
      now: this.complete('newer', now),
      idKey: 'id',
      folder,
    };
  }

  /** Compares until it is over, as the queue does: what failed and what is unfinished comes again. */
  async compare(
    exports: ComparedExports,
  ): Promise<Exclude<ComparedRecords, { kind: 'unfinished' }>> {
    for (;;) {
      try {
        this.invocations++;
        const compared = await compareRecords(this.ports(), exports);
        if (compared.kind !== 'unfinished') return compared;
      } catch (error) {
        if (!(error instanceof Outage)) throw error;
      }
    }
  }

  /** Compares a stored export until it is over. */
  async compareStored(exportId: string): Promise<ChangeState | Comparison['kind']> {
    for (;;) {
      try {
        this.invocations++;
        this.#nowMs += 1_000;
        const comparison = await compareExport(
          { ...this.ports(), changes: this.#changePorts() },
          this.told(exportId),
          { settings: this.settings, historyDays: 90, invocation: { remainingMs: () => 300_000 } },
        );
        if (comparison.kind === 'compared' || comparison.kind === 'known') return comparison.state;
        if (comparison.kind === 'wait') {
          this.waits++;
          this.#nowMs += comparison.seconds * 1_000;
        } else if (comparison.kind !== 'unfinished') return comparison.kind;
      } catch (error) {
        if (!(error instanceof Outage)) throw error;
      }
    }
  }

  /** As the event of its completion names it. */
  told(exportId: string): CompletedExport {
    const manifestKey = `${this.folderOf(exportId)}manifest.json`;
    return { connection: 'acme', list: 'customers', exportId, manifestKey };
  }

  #changePorts(): ChangePorts {
    const { ledger } = this;
    return {
      clock: { now: () => this.#nowMs, sleep: async () => undefined },
      random: { token: () => `token-${++this.#tokens}`, fraction: () => 0.5 },
      ledger: asynchronous(ledger, (_, does) => this.call(does)),
      queue: { send: () => this.call(() => undefined) },
      events: { publish: (event) => this.call(() => void this.published.push(event)) },
    };
  }

  ports(): ComparePorts {
    const { memory } = this;
    let shares = 0;
    return {
      store: {
        ...asynchronous(memory, (_, does) => this.call(does)),
        put: async (...args) => {
          await this.beforePut(args[0]);
          return this.call(() => memory.put(...args));
        },
      },
      readStored: (key) => this.pieces(key),
      isTimeUp: () => shares++ >= this.sharesAtOnce,
    };
  }

  /** The changes in some files, in their order; each block is read alone. */
  changesIn(files: readonly ChangesFile[]): readonly Change[] {
    return files.flatMap(({ key, bytes, sha256, blocks }) => {
      const body = this.memory.objects.get(key) ?? fail(`${key} is not there`);
      if (body.length !== bytes || sha256Of(body) !== sha256) fail(`${key} is another one`);
      let at = 0;
      return blocks.flatMap(([length, ...counts]) => {
        const lines = gunzipSync(body.subarray(at, at + length))
          .toString()
          .split('\n');
        at += length;
        if (lines.pop() !== '') fail('the last line has no end');
        if (lines.length !== counts.reduce((sum, each) => sum + each)) fail('the counts differ');
        return lines.map((line) => parseChangeLine(line) ?? fail(`no change: ${line}`));
      });
    });
  }

  /** What comparing left in the bucket: names and contents. */
  written(): readonly string[] {
    return [...this.memory.objects]
      .filter(([key]) => /\/changes-/.test(key))
      .map(([key, body]) => `${key} ${sha256Of(body)}`)
      .sort();
  }
}

function fail(what: string): never {
  throw new Error(what);
}
