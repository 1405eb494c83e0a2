import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';
import { recordOf } from '../record-of.ts';
import { count, type Stored } from '../stored.ts';
import { sha256, timestamp } from '../stored-text.ts';

/** What others than its writer read of a manifest. */
const ManifestSchema = v.object({
  connection: v.string(),
  list: v.string(),
  exportId: v.string(),
  organizationId: v.exactOptional(v.string()),
  resource: v.string(),
  query: recordOf(v.string(), v.string()),
  firstPage: v.exactOptional(v.number()),
  itemsKey: v.exactOptional(v.nullable(v.string())),
  completeness: v.object({ verdict: v.string() }),
  ids: v.object({ keys: v.array(v.string()), missing: count }),
  startedAt: timestamp,
  endedAt: timestamp,
  parts: v.array(
    v.object({
      key: v.string(),
      customers: count,
      storedBytes: count,
      sha256,
    }),
  ),
});

export type StoredManifest = Stored<typeof ManifestSchema>;

/**
 * Reads a manifest.
 *
 * @param key Only what is in the same folder is a part of the export.
 * @returns `undefined` for what is not the manifest that was written there.
 */
export function parseManifest(key: string, text: string): StoredManifest | undefined {
  const manifest = v.safeParse(ManifestSchema, parseJson(text));
  if (!manifest.success) return undefined;
  const folder = folderOf(key);
  return manifest.output.parts.every((part) => part.key.startsWith(folder))
    ? manifest.output
    : undefined;
}

/** The folder of the export that a manifest is of, with the slash behind it. */
export function folderOf(manifestKey: string): string {
  return manifestKey.slice(0, manifestKey.lastIndexOf('/') + 1);
}
