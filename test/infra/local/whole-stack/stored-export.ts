import { createHash } from 'node:crypto';
import type { Manifest } from '../../../../lib/exports/manifest.ts';
import { unpacked } from '../../../unpacked.ts';
import type { Operator } from './operator.ts';

/** What a consumer gets who reads only what the manifest names. */
export interface StoredExport {
  readonly manifest: Manifest;
  readonly records: readonly string[];
  /** Of each part as stored, hex. */
  readonly sha256: readonly string[];
}

export async function readStored(
  operator: Operator,
  connection: string,
  exportId: string,
  list = 'customers',
): Promise<StoredExport> {
  const manifest = await operator.manifest(connection, exportId, list);
  const parts = await Promise.all(
    manifest.parts.map(async ({ key }) => ({ key, body: await operator.read(key) })),
  );
  return {
    manifest,
    records: parts.flatMap(({ key, body }) => unpacked(key, body).toString().trimEnd().split('\n')),
    sha256: parts.map(({ body }) => createHash('sha256').update(body).digest('hex')),
  };
}
