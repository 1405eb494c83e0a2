import { hash } from 'node:crypto';
import { folderOf, parseManifest } from './stored-manifest.ts';

export interface ExportFile {
  readonly kind: 'manifest' | 'part' | 'schema';
  readonly key: string;
  /** As stored. */
  readonly bytes: number;
  /** Of the stored bytes, hex. */
  readonly sha256: string;
  /** Of a part. */
  readonly records?: number;
}

/**
 * The files that count of a completed export: its manifest, then the parts in the order of the list.
 *
 * @param manifestKey Only what is in the same folder is a part of the export.
 * @param text The manifest as stored.
 * @throws Error when it is not a manifest of this export.
 */
export function exportFilesOf(manifestKey: string, text: string): readonly ExportFile[] {
  const manifest = parseManifest(manifestKey, text);
  if (manifest === undefined) {
    throw new Error(
      `${manifestKey} is not the manifest that was written: expected one that names parts in ${folderOf(manifestKey)}. Check who else writes to the bucket.`,
    );
  }
  return [
    fileOfText('manifest', manifestKey, text),
    ...manifest.parts.map(
      ({ key, customers: records, storedBytes: bytes, sha256 }) =>
        ({ kind: 'part', key, bytes, sha256, records }) as const,
    ),
  ];
}

export function fileOfText(kind: 'manifest' | 'schema', key: string, text: string): ExportFile {
  const body = Buffer.from(text);
  const sha256 = hash('sha256', body);
  return { kind, key, bytes: body.length, sha256 };
}
