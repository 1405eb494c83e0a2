import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  NoRecordError,
  RecordsDescriber,
  type RecordsReport,
} from '../schema/records-describer.ts';
import type { StoredManifest } from './stored-manifest.ts';

/** Fewer, larger pieces than Node's 16 KiB: each costs a switch between threads. */
const PIECE_BYTES = 256 * 1024;

export type DescribedPart =
  | { readonly kind: 'described'; readonly report: RecordsReport }
  /** What is stored is not what the manifest says. */
  | { readonly kind: 'damaged'; readonly reason: string };

/**
 * Adds the records of one part to a report, as its bytes come.
 *
 * @param stored The part as it is stored; an error of it is passed on.
 */
export async function describePart(
  { key, sha256, customers }: StoredManifest['parts'][number],
  stored: AsyncIterable<Uint8Array>,
  soFar: RecordsReport | undefined,
): Promise<DescribedPart> {
  const hash = createHash('sha256');
  const describer = new RecordsDescriber(soFar);
  const damaged = (what: string): DescribedPart => ({
    kind: 'damaged',
    reason: `${key} is not as its manifest says: ${what}. Fetch the version back that was written, or export again; and check who else writes to the bucket.`,
  });
  const hashed = async function* () {
    for await (const bytes of stored) {
      hash.update(bytes);
      yield bytes;
    }
  };
  try {
    await pipeline(
      Readable.from(hashed(), { objectMode: false }),
      createGunzip({ chunkSize: PIECE_BYTES }),
      async (pieces) => {
        for await (const piece of pieces) describer.push(piece);
      },
    );
    if (hash.digest('hex') !== sha256) return damaged('its SHA-256 is another one');
    const report = describer.report();
    const records = report.records - (soFar?.records ?? 0);
    return records === customers
      ? { kind: 'described', report }
      : damaged(`it has ${records} records instead of ${customers}`);
  } catch (error) {
    if (error instanceof NoRecordError) return damaged(error.message);
    if (isBrokenGzip(error)) return damaged('it is no whole gzip file');
    throw error;
  }
}

/** Codes of zlib begin so (Node.js API, "zlib constants"). */
function isBrokenGzip(error: unknown): boolean {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && String(error.code).startsWith('Z_');
}
