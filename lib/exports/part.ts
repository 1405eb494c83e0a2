import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants, createGzip } from 'node:zlib';
import type { Page } from '../customers-api/outcome.ts';

/** A finished part: gzip of many pages' lines. */
export interface PartBody {
  readonly stored: Uint8Array;
  /** SHA-256 of `stored`, hex. */
  readonly sha256: string;
  readonly firstPage: number;
  readonly pages: number;
  readonly records: number;
  /** Bytes before compression. */
  readonly bytes: number;
}

export interface PartLimits {
  readonly partMaxPages: number;
  readonly partMaxBytes: number;
}

/**
 * Pages are compressed this many bytes at a time: each call goes through another thread, so one a page takes more
 * CPU time (docs/performance.md). They are copied together as they come, since pages that were kept until then
 * would outlive the heap's young generation.
 */
const BATCH_BYTES = 1024 * 1024;
/** A quarter of the calls that Node's 16 KiB make for the same bytes. */
const COMPRESSED_CHUNK_BYTES = 64 * 1024;

/**
 * Collects pages into one gzip member (RFC 1952). What it holds in memory is its compressed part and two batches
 * of pages: one is compressed while the next is fetched. Level 1 takes about half the CPU time of Node's default,
 * level 6, and makes parts a fifth larger (docs/performance.md).
 */
export class PartWriter {
  readonly #firstPage: number;
  readonly #gzip = createGzip({
    level: constants.Z_BEST_SPEED,
    memLevel: constants.Z_MAX_MEMLEVEL,
    chunkSize: COMPRESSED_CHUNK_BYTES,
  });
  readonly #ended: Promise<unknown>;
  readonly #chunks: Uint8Array[] = [];
  readonly #hash = createHash('sha256');
  /** One is filled while the other is compressed. */
  #batches = [Buffer.allocUnsafeSlow(BATCH_BYTES), Buffer.allocUnsafeSlow(BATCH_BYTES)] as const;
  #batchBytes = 0;
  /** Settles when the batch before is compressed. */
  #compressed: Promise<void> = Promise.resolve();
  #pages = 0;
  #records = 0;
  #bytes = 0;

  constructor(firstPage: number) {
    this.#firstPage = firstPage;
    this.#gzip.on('data', (chunk: Uint8Array) => {
      this.#chunks.push(chunk);
      this.#hash.update(chunk);
    });
    this.#ended = once(this.#gzip, 'end');
  }

  get pages(): number {
    return this.#pages;
  }

  get records(): number {
    return this.#records;
  }

  isFull(limits: PartLimits): boolean {
    return this.#pages >= limits.partMaxPages || this.#bytes >= limits.partMaxBytes;
  }

  /** Takes over the page's bytes: nobody else may read them from now on. */
  async append(page: Pick<Page, 'ndjson' | 'recordCount' | 'release'>): Promise<void> {
    this.#pages++;
    this.#records += page.recordCount;
    this.#bytes += page.ndjson.length;
    if (this.#batchBytes + page.ndjson.length > BATCH_BYTES) await this.#compressBatch();
    if (page.ndjson.length > BATCH_BYTES) return this.#compress(page.ndjson);
    this.#batches[0].set(page.ndjson, this.#batchBytes);
    this.#batchBytes += page.ndjson.length;
    page.release?.();
  }

  async finish(): Promise<PartBody> {
    await this.#compressBatch();
    await this.#compressed;
    this.#gzip.end();
    await this.#ended;
    const stored = Buffer.concat(this.#chunks);
    // Not held twice while it is stored.
    this.#chunks.length = 0;
    return {
      stored,
      sha256: this.#hash.digest('hex'),
      firstPage: this.#firstPage,
      pages: this.#pages,
      records: this.#records,
      bytes: this.#bytes,
    };
  }

  async #compressBatch(): Promise<void> {
    const [full, other] = this.#batches;
    const batch = full.subarray(0, this.#batchBytes);
    this.#batches = [other, full];
    this.#batchBytes = 0;
    await this.#compress(batch);
  }

  /** Begins to, as soon as what came before is compressed: until the next call the bytes must not change. */
  async #compress(bytes: Uint8Array): Promise<void> {
    await this.#compressed;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
    // Whoever appends or finishes next meets the failure; nobody does after `discard`.
    promise.catch(() => undefined);
    this.#compressed = promise;
  }

  /** Gives the compressor's memory back when the part is not wanted. */
  discard(): void {
    this.#gzip.destroy();
  }
}
