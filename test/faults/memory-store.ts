import { createHash } from 'node:crypto';
import type { ObjectAbout, StoredObject, StoredText } from '../../lib/exports/ports.ts';

/** A bucket in memory that keeps S3's conditions; each method is one atomic effect. */
export class MemoryStore {
  readonly objects = new Map<string, Uint8Array>();

  put(key: string, body: Uint8Array, about: ObjectAbout): string {
    if (about.sha256 !== sha256Of(body)) throw new Error(`BadDigest: ${key}`);
    this.objects.set(key, body);
    return about.sha256;
  }

  read(key: string): StoredText | undefined {
    const body = this.objects.get(key);
    if (body === undefined) return undefined;
    return { text: Buffer.from(body).toString(), version: sha256Of(body) };
  }

  readBytes(key: string, from: number, to: number): Uint8Array {
    const body = this.objects.get(key);
    if (body === undefined) throw new Error(`NoSuchKey: ${key}`);
    return new Uint8Array(body.subarray(from, to));
  }

  replace(
    key: string,
    body: Uint8Array,
    about: ObjectAbout,
    expectedVersion: string | undefined,
  ): 'replaced' | 'changed' {
    if (this.read(key)?.version !== expectedVersion) return 'changed';
    this.put(key, body, about);
    return 'replaced';
  }

  list(prefix: string): readonly StoredObject[] {
    return [...this.objects]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, body]) => ({ key, bytes: body.length, version: sha256Of(body) }));
  }

  delete(keys: readonly string[]): void {
    for (const key of keys) this.objects.delete(key);
  }
}

export function sha256Of(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
