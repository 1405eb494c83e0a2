import { createHash } from 'node:crypto';
import type { ObjectAbout } from './ports.ts';

export function exportPrefix(connection: string, exportId: string): string {
  return `exports/connection=${connection}/export=${exportId}/`;
}

/** @param token The claim's token, so that a worker without a lease cannot replace a part that counts. */
export function partKey(
  connection: string,
  exportId: string,
  number: number,
  token: string,
): string {
  return `${partName(connection, exportId, number, token)}.ndjson.gz`;
}

/** The index of a part is there until the export completes. */
export function indexKey(
  connection: string,
  exportId: string,
  number: number,
  token: string,
): string {
  return `${partName(connection, exportId, number, token)}.index`;
}

function partName(connection: string, exportId: string, number: number, token: string): string {
  const digits = String(number).padStart(5, '0');
  return `${exportPrefix(connection, exportId)}part-${digits}-${token}`;
}

export function manifestKey(connection: string, exportId: string): string {
  return `${exportPrefix(connection, exportId)}manifest.json`;
}

/** The object that names the newest completed export of a connection. */
export function latestKey(connection: string): string {
  return `exports/connection=${connection}/latest.json`;
}

/** A value as a JSON object for the store, on one line: Athena and similar services read one row per line. */
export function storeJson(value: object): {
  readonly body: Uint8Array;
  readonly about: ObjectAbout;
} {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { body, about: { contentType: 'application/json', sha256 } };
}
