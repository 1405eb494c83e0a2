import { hexOf } from '../record-hashes.ts';

/**
 * 64 bits over all ids in their order, as 16 hex digits. Passes of the same records in the same order have the same
 * one, others hardly ever: once in 10^19.
 *
 * @param digest Of the records before; empty for none.
 */
export function passDigest(digest: string, recordHashes: Uint32Array): string {
  let high = digest === '' ? 0x9e3779b9 : Number.parseInt(digest.slice(0, 8), 16);
  let low = digest === '' ? 0x2545f491 : Number.parseInt(digest.slice(8), 16);
  for (let at = 0; at < recordHashes.length; at++) {
    const word = recordHashes[at] ?? 0;
    low = Math.imul(((low << 13) | (low >>> 19)) ^ word, 0x85ebca6b);
    high = Math.imul(((high << 17) | (high >>> 15)) ^ word ^ low, 0xc2b2ae35);
  }
  return hexOf(high) + hexOf(low);
}
