import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Transform } from 'node:stream';
import type { Page } from '../customers-api/outcome.ts';
import { deferred } from '../deferred.ts';
import type { Compression } from './compression.ts';
import type { ExportSettings } from './export-settings.ts';
import { keptRows, type Rows } from './kept-rows.ts';
import { createPacker } from './packing.ts';
import { PartIndex, type PartIndexBody } from './part-index.ts';

export interface PartBody {
  readonly compression: Compression;
  readonly stored: Uint8Array;
  /** SHA-256 of `stored`, hex. */
  readonly sha256: string;
  readonly firstPage: number;
  readonly pages: number;
  readonly records: number;
  /** Bytes before compression. */
  readonly bytes: number;
  /** Records that each page shared with those before; absent where none did. */
  readonly overlaps?: readonly number[];
  /** Where records that may have been read before begin and end, by turns; absent where there are none. */
  readonly again?: readonly number[];
  readonly index: PartIndexBody;
}

export interface PageLink {
  /** Positions of records to leave out, ascending. */
  readonly skip?: readonly number[];
  /** Records that it shares with those before. */
  readonly shared?: number;
  /** Records at its head that may have been read before, see `Taken`. */
  readonly again?: number;
}

type PagePart = Rows & Pick<Page, 'release'>;

/** 4 MB of index, ten times as much as 500 pages of 100 records have. */
const MAX_RECORDS = 500_000;

/**
 * Pages are compressed this many bytes at a time: each call switches to another thread, so one call per page
 * takes more CPU time (docs/performance.md). Each page is copied into the batch when it arrives; if all pages
 * were kept until then, they would outlive the heap's young generation.
 */
const BATCH_BYTES = 1024 * 1024;
/**
 * The memory of finished parts, for the next ones: if every part had new memory, V8 would collect the whole heap
 * after every 30 parts. An export has two parts at a time.
 */
const SPARE_BATCHES: Buffer[] = [];
const MAX_SPARE_BATCHES = 4;

/**
 * Collects pages into one compressed part. Keeps it in memory, and two batches of pages: one is compressed while
 * the other is filled.
 */
export class PartWriter {
  readonly #firstPage: number;
  readonly #compression: Compression;
  readonly #packer: Transform;
  readonly #ended: Promise<unknown>;
  readonly #chunks: Uint8Array[] = [];
  readonly #hash = createHash('sha256');
  readonly #index = new PartIndex();
  #batches = [takeBatch(), takeBatch()] as const;
  #batchBytes = 0;
  /** Settles when the previous batch is compressed. */
  #compressed: Promise<void> = Promise.resolve();
  readonly #overlaps: number[] = [];
  readonly #again: number[] = [];
  #pages = 0;
  #records = 0;
  #bytes = 0;

  constructor(firstPage: number, compression: Compression) {
    this.#firstPage = firstPage;
    this.#compression = compression;
    this.#packer = createPacker(compression);
    this.#packer.on('data', (chunk: Uint8Array) => {
      this.#chunks.push(chunk);
      this.#hash.update(chunk);
    });
    this.#ended = once(this.#packer, 'end');
  }

  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  isFull(limits: Pick<ExportSettings, 'partMaxPages' | 'partMaxBytes'>): boolean {
    if (this.#pages >= limits.partMaxPages || this.#records >= MAX_RECORDS) return true;
    return this.#bytes >= limits.partMaxBytes;
  }

  /** Takes over the page's bytes: the caller must not read them afterwards. */
  async append(page: PagePart, { skip = [], shared = 0, again = 0 }: PageLink = {}): Promise<void> {
    const { ndjson, recordCount, recordHashes } = keptRows(page, skip);
    this.#pages++;
    this.#overlaps.push(shared);
    this.#noteAgain(Math.min(again, page.recordCount) - skip.filter((row) => row < again).length);
    this.#records += recordCount;
    this.#bytes += ndjson.length;
    this.#index.add(recordHashes);
    if (this.#batchBytes + ndjson.length > BATCH_BYTES) await this.#compressBatch();
    if (ndjson.length > BATCH_BYTES) return this.#compress(ndjson);
    this.#batches[0].set(ndjson, this.#batchBytes);
    this.#batchBytes += ndjson.length;
    page.release?.();
  }

  /** The next records, so many, may have been read before. */
  #noteAgain(records: number): void {
    if (records <= 0) return;
    // Of a second pass, all do.
    const from = this.#again.at(-1) === this.#records ? this.#again.splice(-2)[0] : this.#records;
    this.#again.push(from ?? this.#records, this.#records + records);
  }

  async finish(): Promise<PartBody> {
    await this.#compressBatch();
    await this.#compressed;
    this.#packer.end();
    await this.#ended;
    keepBatches(this.#batches);
    const stored = Buffer.concat(this.#chunks);
    // The memory is not held twice while the part is stored.
    this.#chunks.length = 0;
    return {
      compression: this.#compression,
      stored,
      sha256: this.#hash.digest('hex'),
      firstPage: this.#firstPage,
      pages: this.#pages,
      records: this.#records,
      bytes: this.#bytes,
      ...(this.#overlaps.some((shared) => shared > 0) ? { overlaps: this.#overlaps } : {}),
      ...(this.#again.length > 0 ? { again: this.#again } : {}),
      index: this.#index.finish(),
    };
  }

  async #compressBatch(): Promise<void> {
    const [full, other] = this.#batches;
    const batch = full.subarray(0, this.#batchBytes);
    this.#batches = [other, full];
    this.#batchBytes = 0;
    await this.#compress(batch);
  }

  /** Starts when the previous batch is compressed; the bytes must not change until then. */
  async #compress(bytes: Uint8Array): Promise<void> {
    await this.#compressed;
    const { promise, resolve, reject } = deferred<void>();
    this.#packer.write(bytes, (error) => (error ? reject(error) : resolve()));
    // The next `append` or `finish` throws the failure; after `discard` there is none.
    promise.catch(() => undefined);
    this.#compressed = promise;
  }

  /** Frees the compressor's memory when the part is not needed. */
  discard(): void {
    this.#packer.destroy();
  }
}

function takeBatch(): Buffer {
  return SPARE_BATCHES.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
}

/** Nothing may read or write them any more. */
function keepBatches(batches: readonly Buffer[]): void {
  SPARE_BATCHES.push(...batches.slice(0, MAX_SPARE_BATCHES - SPARE_BATCHES.length));
}
