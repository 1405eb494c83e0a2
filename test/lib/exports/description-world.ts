import { gzipSync } from 'node:zlib';
import {
  type CompletedExport,
  type Described,
  type DescriptionPorts,
  describeExport,
} from '../../../lib/exports/describe-export.ts';
import type { SchemaChangedEvent } from '../../../lib/exports/schema-changed.ts';
import { latestKey, storeJson } from '../../../lib/exports/store-objects.ts';
import { MemoryStore, sha256Of } from '../../faults/memory-store.ts';

interface StoredExport {
  readonly exportId: string;
  /** Of January 2026. */
  readonly day: number;
  /** Records of each part. */
  readonly parts: readonly (readonly string[])[];
  readonly organizationId?: string;
}

/** A bucket with exports, and descriptions of them whose calls may fail. */
export class DescriptionWorld {
  readonly memory = new MemoryStore();
  readonly published: SchemaChangedEvent[] = [];
  /** This call fails, before or after it took effect. */
  failing: { readonly call: number; readonly after: boolean } | undefined;
  /** By which records are indexed. */
  idKey: string | undefined;
  /** Parts that an invocation has time for. */
  partsAtOnce = Number.POSITIVE_INFINITY;
  calls = 0;

  /** Stores a complete export, and `latest.json` where it is the newest. */
  complete({ exportId, day, parts, organizationId = 'one' }: StoredExport): CompletedExport {
    const folder = `exports/connection=acme/list=customers/export=${exportId}/`;
    const stored = parts.map((records, index) => {
      const body = gzipSync(records.map((text) => `${text}\n`).join(''));
      const key = `${folder}part-0000${index + 1}-t.ndjson.gz`;
      this.memory.objects.set(key, body);
      return { key, customers: records.length, storedBytes: body.length, sha256: sha256Of(body) };
    });
    const startedAt = `2026-01-0${day}T00:00:00.000Z`;
    const told = { connection: 'acme', list: 'customers', exportId };
    const manifest = { ...told, organizationId, startedAt, endedAt: startedAt, parts: stored };
    const manifestKey = `${folder}manifest.json`;
    this.memory.objects.set(manifestKey, storeJson(manifest).body);
    this.memory.objects.set(latestKey('acme', 'customers'), storeJson({ exportId }).body);
    return { ...told, manifestKey };
  }

  /** Describes until it is over, as the queue does: what failed and what is unfinished comes again. */
  async describe(told: CompletedExport): Promise<Exclude<Described, { kind: 'unfinished' }>> {
    for (;;) {
      try {
        const described = await describeExport(this.ports(), told);
        if (described.kind !== 'unfinished') return described;
      } catch (error) {
        if (!(error instanceof Outage)) throw error;
      }
    }
  }

  ports(): DescriptionPorts {
    const { memory } = this;
    let parts = 0;
    return {
      store: {
        read: (key) => this.#call(() => memory.read(key)),
        put: (...args) => this.#call(() => memory.put(...args)),
        replace: (...args) => this.#call(() => memory.replace(...args)),
        delete: (keys) => this.#call(() => memory.delete(keys)),
      },
      readStored: (key) => this.#pieces(key),
      bucket: 'bucket',
      ...(this.idKey !== undefined && { indexedBy: () => this.idKey }),
      events: { publish: (event) => this.#call(() => void this.published.push(event)) },
      isTimeUp: () => parts++ >= this.partsAtOnce,
    };
  }

  /** `undefined` where there is none. */
  textOf(key: string): string | undefined {
    return this.memory.read(key)?.text;
  }

  async *#pieces(key: string): AsyncGenerator<Uint8Array> {
    const body = await this.#call(() => this.memory.objects.get(key));
    if (body === undefined) throw new Outage();
    const half = Math.floor(body.length / 2);
    yield body.subarray(0, half);
    await this.#call(() => undefined);
    yield body.subarray(half);
  }

  async #call<T>(effect: () => T): Promise<T> {
    // Others go on in the meantime.
    await new Promise((resolve) => setImmediate(resolve));
    const isFailing = this.failing?.call === this.calls++;
    if (isFailing && !this.failing?.after) throw new Outage();
    const result = effect();
    if (isFailing) throw new Outage();
    return result;
  }
}

class Outage extends Error {}
