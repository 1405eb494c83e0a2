import * as v from 'valibot';
import { OBJECT_NAMES } from '../exports/store-objects.ts';
import { parseJson } from '../json/json-value.ts';
import { count, type Stored } from '../stored.ts';
import { sha256, timestamp } from '../stored-text.ts';

export const CountsSchema = v.object({
  /** Records of the earlier export. */
  before: count,
  /** Records of the later one. */
  now: count,
  added: count,
  changed: count,
  removed: count,
  unchanged: count,
});

export type ChangeCounts = Stored<typeof CountsSchema>;

/** Stored bytes, then how many of its lines are added, changed and removed records. */
const BlockSchema = v.tuple([count, count, count, count]);

export type ChangesBlock = Stored<typeof BlockSchema>;

export const ChangesFileSchema = v.object({
  /** Of one `changes-NNNNN-<hash>.ndjson.gz`. */
  key: v.string(),
  bytes: count,
  sha256,
  /** The file is a row of gzip members (RFC 1952 section 2.2), each of whole lines and of 1 MiB of text or little more. */
  blocks: v.array(BlockSchema),
});

export type ChangesFile = Stored<typeof ChangesFileSchema>;

/** Members that a later version adds are kept. */
const SummarySchema = v.looseObject({
  version: v.literal(1),
  connection: v.string(),
  list: v.string(),
  exportId: v.string(),
  /** As in the manifest. */
  organizationId: v.exactOptional(v.string()),
  /** The member of a record that holds its id; absent where records have none. */
  idKey: v.exactOptional(v.string()),
  /** Of the export, ISO 8601 in UTC. */
  startedAt: timestamp,
  endedAt: timestamp,
  /** The export that this one was compared with; absent for `first` and `refused`. */
  since: v.exactOptional(
    v.object({ exportId: v.string(), startedAt: timestamp, manifestKey: v.string() }),
  ),
  /**
   * - `first`: there was no export to compare with, or none that can be compared: then `reason` says why. Nothing is
   *   told, and later exports are compared with this one.
   * - `found`: compared; there may be no change.
   * - `held`: compared, but so many records are gone that a person has to look first.
   * - `refused`: this export cannot be compared, `reason` says why.
   */
  state: v.picklist(['first', 'found', 'held', 'refused']),
  /** One sentence. */
  reason: v.exactOptional(v.string()),
  counts: CountsSchema,
  /** Of the records before, how many are gone, 0 to 100 with two decimals. */
  removedPercent: v.number(),
  /** The setting: more than that are held. */
  maxRemovedPercent: v.number(),
  /** In the order of their lines; none when there is no change. */
  files: v.array(ChangesFileSchema),
});

/** The content of `changes-<hash>.json`: what one export changed, beside its manifest. */
export type ChangesSummary = Stored<typeof SummarySchema>;

/** `undefined` for what is not the content of a summary of this version. */
export function parseChangesSummary(text: string | undefined): ChangesSummary | undefined {
  const parsed = v.safeParse(SummarySchema, parseJson(text));
  return parsed.success ? parsed.output : undefined;
}

/**
 * Files of changes are named after their content: a worker that goes on after its lease is over stores others beside
 * those that are told, and never in their place.
 *
 * @param exportFolder Of the export, with the slash behind it.
 * @param sha256 Of the content, hex.
 */
export function changesSummaryKey(exportFolder: string, sha256: string): string {
  return `${exportFolder}${OBJECT_NAMES.changes}${sha256.slice(0, NAME_DIGITS)}.json`;
}

/** As {@link changesSummaryKey}. @param number From 1. */
export function changesFileKey(exportFolder: string, number: number, sha256: string): string {
  const digits = String(number).padStart(5, '0');
  return `${exportFolder}${OBJECT_NAMES.changes}${digits}-${sha256.slice(0, NAME_DIGITS)}.ndjson.gz`;
}

/** 64 bits: two comparisons of one export do not meet in them. */
const NAME_DIGITS = 16;
