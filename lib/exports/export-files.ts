import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';

/** A stored object of a completed export. */
export interface ExportFile {
  readonly kind: 'manifest' | 'part';
  readonly key: string;
  /** As stored. */
  readonly bytes: number;
  /** Of the stored bytes, hex. */
  readonly sha256: string;
  /** Absent for the manifest. */
  readonly records?: number;
}

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What is read of a manifest here. */
const ManifestSchema = v.object({
  parts: v.array(
    v.object({
      key: v.string(),
      customers: wholeNumber,
      storedBytes: wholeNumber,
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    }),
  ),
});

/**
 * The files that count of a completed export: its manifest, then the parts in the order of the list.
 *
 * @param manifestKey Only what is in the same folder is a part of the export.
 * @param text The manifest as stored.
 * @throws Error when it is not a manifest of this export.
 */
export function exportFilesOf(manifestKey: string, text: string): readonly ExportFile[] {
  const manifest = v.safeParse(ManifestSchema, parseJson(text));
  const folder = manifestKey.slice(0, manifestKey.lastIndexOf('/') + 1);
  if (!manifest.success || manifest.output.parts.some(({ key }) => !key.startsWith(folder))) {
    throw new Error(
      `${manifestKey} is not the manifest that was written: expected one that names parts in ${folder}. Check who else writes to the bucket.`,
    );
  }
  const body = Buffer.from(text);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return [
    { kind: 'manifest', key: manifestKey, bytes: body.length, sha256 },
    ...manifest.output.parts.map(
      ({ key, customers: records, storedBytes: bytes, sha256 }) =>
        ({ kind: 'part', key, bytes, sha256, records }) as const,
    ),
  ];
}
