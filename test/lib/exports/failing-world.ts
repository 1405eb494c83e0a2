import { type Compression, endingOf } from '../../../lib/exports/compression.ts';
import type { StoredManifest } from '../../../lib/exports/stored-manifest.ts';
import { MemoryStore, sha256Of } from '../../faults/memory-store.ts';
import { packed } from '../../unpacked.ts';

/** A call that failed, before or after it took effect: whoever made it does not know. */
export class Outage extends Error {}

/** A bucket with exports of the list `customers` of the connection `acme`, whose calls may fail. */
export class FailingWorld {
  readonly memory = new MemoryStore();
  /** This call fails, before or after it took effect. */
  failing: { readonly call: number; readonly after: boolean } | undefined;
  calls = 0;

  protected folderOf(exportId: string): string {
    return `exports/connection=acme/list=customers/export=${exportId}/`;
  }

  /** Stores parts with these records. @returns What their manifest says of them. */
  protected storeParts(
    exportId: string,
    parts: readonly (readonly string[])[],
    compression: Compression = 'gzip',
  ): StoredManifest['parts'] {
    return parts.map((records, index) => {
      const body = packed(compression, records.map((text) => `${text}\n`).join(''));
      const key = `${this.folderOf(exportId)}part-0000${index + 1}-t${endingOf(compression)}`;
      this.memory.objects.set(key, body);
      return { key, customers: records.length, storedBytes: body.length, sha256: sha256Of(body) };
    });
  }

  protected async *pieces(key: string): AsyncGenerator<Uint8Array> {
    const body = await this.call(() => this.memory.objects.get(key));
    if (body === undefined) throw new Outage();
    const half = Math.floor(body.length / 2);
    yield body.subarray(0, half);
    await this.call(() => undefined);
    yield body.subarray(half);
  }

  protected async call<T>(effect: () => T): Promise<T> {
    // Others go on in the meantime.
    await new Promise((resolve) => setImmediate(resolve));
    const isFailing = this.failing?.call === this.calls++;
    if (isFailing && !this.failing?.after) throw new Outage();
    const result = effect();
    if (isFailing) throw new Outage();
    return result;
  }
}
