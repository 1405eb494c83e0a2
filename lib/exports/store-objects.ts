import { createHash } from 'node:crypto';
import type { ObjectAbout } from './ports.ts';

/** Under which all objects of an export lie. */
export function exportPrefix(connection: string, exportId: string): string {
  return `exports/connection=${connection}/export=${exportId}/`;
}

/**
 * @param token Of the claim that writes the part, so that a worker whose lease has ended cannot replace
 *   a part that counts.
 */
export function partKey(
  connection: string,
  exportId: string,
  number: number,
  token: string,
): string {
  const digits = String(number).padStart(5, '0');
  return `${exportPrefix(connection, exportId)}part-${digits}-${token}.ndjson.gz`;
}

export function manifestKey(connection: string, exportId: string): string {
  return `${exportPrefix(connection, exportId)}manifest.json`;
}

/** Names the newest completed export of a connection. */
export function latestKey(connection: string): string {
  return `exports/connection=${connection}/latest.json`;
}

/** A value as a JSON object for the store: on one line, which is what Athena and its like read as a row. */
export function storeJson(value: object): {
  readonly body: Uint8Array;
  readonly about: ObjectAbout;
} {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { body, about: { contentType: 'application/json', sha256 } };
}
