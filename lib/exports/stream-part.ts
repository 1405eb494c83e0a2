import { createHash } from 'node:crypto';
import { compressionOf } from './compression.ts';
import { isBroken, unpack } from './packing.ts';
import type { StoredManifest } from './stored-manifest.ts';

export type StoredPart = StoredManifest['parts'][number];

/**
 * Reads one part as its bytes come.
 *
 * @param stored The part as it is stored; an error of it is passed on.
 * @param push Gets what the part holds, piece by piece; what it throws is passed on.
 * @returns Why what is stored is not what the manifest says; `undefined` when it is.
 */
export async function streamPart(
  part: StoredPart,
  stored: AsyncIterable<Uint8Array>,
  push: (piece: Uint8Array) => Promise<void> | void,
): Promise<string | undefined> {
  const compression = compressionOf(part.key);
  const hash = createHash('sha256');
  const hashed = async function* () {
    for await (const bytes of stored) {
      hash.update(bytes);
      yield bytes;
    }
  };
  try {
    for await (const piece of unpack(hashed(), compression)) await push(piece);
  } catch (error) {
    if (isBroken(error)) return damageOf(part, `it is no whole ${compression} file`);
    throw error;
  }
  return hash.digest('hex') === part.sha256
    ? undefined
    : damageOf(part, 'its SHA-256 is another one');
}

export function damageOf({ key }: StoredPart, what: string): string {
  return `${key} is not as its manifest says: ${what}. Fetch the version back that was written, or export again; and check who else writes to the bucket.`;
}
