import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import type { Compression } from '../../../lib/exports/compression.ts';
import {
  type CompletedExport,
  type Described,
  type DescriptionPorts,
  describeExport,
} from '../../../lib/exports/describe-export.ts';
import type { SchemaChangedEvent } from '../../../lib/exports/schema-changed.ts';
import { latestKey, storeJson } from '../../../lib/exports/store-objects.ts';
import { FailingWorld, Outage } from './failing-world.ts';

interface StoredExport {
  readonly exportId: string;
  /** Of January 2026. */
  readonly day: number;
  /** Records of each part. */
  readonly parts: readonly (readonly string[])[];
  readonly organizationId?: string;
  /** @default 'gzip' */
  readonly compression?: Compression;
}

/** A bucket with exports, and descriptions of them whose calls may fail. */
export class DescriptionWorld extends FailingWorld {
  readonly published: SchemaChangedEvent[] = [];
  /** By which records are indexed. */
  idKey: string | undefined;
  /** Parts that an invocation has time for. */
  partsAtOnce = Number.POSITIVE_INFINITY;

  /** Stores a completed export, and `latest.json` where it is the newest. */
  complete({ exportId, day, parts, ...about }: StoredExport): CompletedExport {
    const { organizationId = 'one', compression } = about;
    const startedAt = `2026-01-0${day}T00:00:00.000Z`;
    const told = { connection: 'acme', list: 'customers', exportId };
    const manifest = {
      ...told,
      organizationId,
      ...{ resource: 'customers', query: {}, completeness: { verdict: 'complete' } },
      ids: { keys: ['id'], missing: 0 },
      startedAt,
      endedAt: startedAt,
      parts: this.storeParts(exportId, parts, compression),
    };
    const manifestKey = `${this.folderOf(exportId)}manifest.json`;
    this.memory.objects.set(manifestKey, storeJson(manifest).body);
    this.memory.objects.set(
      latestKey('acme', 'customers'),
      storeJson({ exportId, startedAt }).body,
    );
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
      store: asynchronous(memory, (_, does) => this.call(does)),
      readStored: (key) => this.pieces(key),
      bucket: 'bucket',
      ...(this.idKey !== undefined && { indexedBy: () => this.idKey }),
      events: { publish: (event) => this.call(() => void this.published.push(event)) },
      isTimeUp: () => parts++ >= this.partsAtOnce,
    };
  }

  /** `undefined` where there is none. */
  textOf(key: string): string | undefined {
    return this.memory.read(key)?.text;
  }
}
