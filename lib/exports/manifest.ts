import type { WalkCounts } from '../customers-api/walks/list-walk-schema.ts';
import type { WalkProof } from '../customers-api/walks/taken.ts';
import { defined } from '../defined.ts';
import { isoTime } from './bounds.ts';
import { compressionOf } from './compression.ts';
import type {
  Completeness,
  DroppedPage,
  EndedExport,
  ExportState,
  ListWarning,
  RepeatsSoFar,
} from './export-state.ts';
import type { PartRecord } from './part-record.ts';

/** The content of `manifest.json`: the parts and facts that count. Times are ISO 8601 in UTC. */
export interface Manifest {
  readonly version: 1;
  readonly connection: string;
  readonly list: string;
  readonly exportId: string;
  /**
   * The organization of all records, as the gate knows it: random, and another one after every change of the
   * organization. Exports of different organizations have nothing in common.
   */
  readonly organizationId?: string;
  readonly resource: string;
  readonly perPage?: number;
  readonly firstPage: number;
  /** Parameters of each request besides `page` and `per_page`. */
  readonly query: Readonly<Record<string, string>>;
  /**
   * The setting when the export began; `null`: the member with the records was found by rule. Absent where an older
   * version began it.
   */
  readonly itemsKey?: string | null;
  readonly startedAt: string;
  /** When the last page was read. */
  readonly endedAt: string;
  readonly totals: {
    readonly parts: number;
    readonly pages: number;
    readonly customers: number;
    /** Before compression. */
    readonly bytes: number;
    readonly storedBytes: number;
  };
  readonly parts: readonly ManifestPart[];
  readonly completeness: Completeness;
  readonly ids: RecordIds;
  /** How the list was read and what that showed. */
  readonly walk: ManifestWalk;
  /** The rules that ended the list, and the evidence against them. */
  readonly end: {
    readonly rules: readonly string[];
    readonly contradictions: readonly string[];
    /** The sign that said on every page that more follow, where counts and the pages past the end outweigh it. */
    readonly outweighed?: string;
  };
  /** Evidence that was ignored, with the reason, such as a `metaKeys` that names no member. */
  readonly warnings: readonly ListWarning[];
  /** The `meta` blocks of the first and the last page: JSON texts as received. */
  readonly firstMeta?: string;
  readonly lastMeta?: string;
  readonly requests: number;
  readonly throttles: number;
  readonly waitedSeconds: number;
  /** VersionIds of the secret whose keys were used. */
  readonly keyVersions: readonly string[];
}

/** What the verdict is made of, see docs/walks.md. */
interface ManifestWalk extends Pick<WalkProof, 'kind' | 'order' | 'by' | 'leastRecords'> {
  /** The most requests that it might take, as a multiple of one pass. Absent for a fast one. */
  readonly maxPasses?: number;
  /** Pages that were taken, gaps between them that were read again, records that were recovered, and so on. */
  readonly counts: WalkCounts;
  /** The first 200 pages of which nothing was stored; `counts.dropped` is the number of all. */
  readonly dropped: readonly DroppedPage[];
}

interface ManifestPart
  extends Pick<
    PartRecord,
    'key' | 'firstPage' | 'pages' | 'overlaps' | 'bytes' | 'storedBytes' | 'sha256'
  > {
  readonly customers: number;
  /** How it is compressed, as the ending of `key` says too. Absent: gzip. */
  readonly compression?: 'zstd';
}

export interface RecordIds {
  /** The member that holds an id, `idKey`: one, or none where no record came. */
  readonly keys: readonly string[];
  /** Customers without an id. */
  readonly missing: number;
  /** Customers with the id of one that was received before; those that a page shares with its neighbour left out. */
  readonly repeated: number;
  /** Those of them whose text is another one. Absent when they were not compared. */
  readonly conflicts?: number;
  /** Those of them whose places show that the list moves by something that its walk does not follow. */
  readonly moved?: number;
  /** Those of them that are not stored, since a newer one is. */
  readonly leftOut: number;
  /** Customers without an id that are equal, as text, to one that was received before. */
  readonly equal: number;
}

interface ManifestFacts {
  readonly state: EndedExport;
  readonly parts: readonly PartRecord[];
  readonly ids: RecordIds;
  readonly completeness: Completeness;
}

/** Equal facts give equal manifests, so a worker may write the manifest again after a crash. */
export function manifestOf({ state, parts, ids, completeness }: ManifestFacts): Manifest {
  const { connection, list, exportId, organizationId, counters, end } = state;
  const { resource, perPage, firstPage, query, itemsKey } = state.plan;
  const { pages, customers, bytes, requests, throttles, waitedSeconds } = counters;
  return {
    version: 1,
    ...{ connection, list, exportId, ...defined({ organizationId }) },
    ...{
      resource,
      ...defined({ perPage }),
      firstPage,
      query,
      ...(itemsKey !== undefined && { itemsKey: itemsKey || null }),
    },
    startedAt: isoTime(state.startedAtMs),
    endedAt: isoTime(end.atMs),
    totals: {
      ...{ parts: parts.length, pages, customers, bytes },
      storedBytes: state.parts.storedBytes,
    },
    parts: parts.map(manifestPart),
    completeness,
    ids,
    walk: manifestWalk(state),
    end: {
      rules: end.rules,
      contradictions: end.contradictions,
      ...defined({ outweighed: end.outweighed }),
    },
    warnings: state.warnings ?? [],
    ...defined({ firstMeta: state.firstMetaText, lastMeta: state.lastMetaText }),
    ...{ requests, throttles, waitedSeconds },
    keyVersions: state.keyVersions,
  };
}

function manifestWalk({ end, walk, dropped = [] }: EndedExport): ManifestWalk {
  const { kind, order, by, counts, leastRecords } = end.proof;
  const maxPasses = walk.kind === 'verified' ? walk.maxPasses : undefined;
  return { kind, order, ...defined({ by, leastRecords, maxPasses }), counts, dropped };
}

/** The content of `latest.json` and of `latest-complete.json`. */
export type Latest = ReturnType<typeof latestOf>;

export function latestOf(manifest: Manifest, manifestKey: string) {
  const { version, connection, list, exportId, startedAt, endedAt } = manifest;
  const { customers } = manifest.totals;
  const completeness = manifest.completeness.verdict;
  const about = { version, connection, list, exportId, startedAt, endedAt };
  return { ...about, manifestKey, customers, completeness };
}

function manifestPart(part: PartRecord): ManifestPart {
  const { key, firstPage, pages, overlaps, records: customers } = part;
  const { bytes, storedBytes, sha256 } = part;
  return {
    ...{ key, firstPage, pages, ...defined({ overlaps }) },
    ...{ customers, bytes, storedBytes, sha256 },
    ...(compressionOf(key) === 'zstd' && { compression: 'zstd' }),
  };
}

export function recordIdsOf(
  { walk: { idKey } }: ExportState,
  parts: readonly PartRecord[],
  { ids, texts, conflicts, moved, removed = 0 }: RepeatsSoFar,
): RecordIds {
  const missing = parts.reduce((sum, { withoutId }) => sum + withoutId, 0);
  const compared = defined({ conflicts, moved });
  return {
    keys: idKey === undefined ? [] : [idKey],
    missing,
    repeated: ids,
    ...compared,
    leftOut: removed,
    equal: texts,
  };
}
