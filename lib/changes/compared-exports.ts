import type { HashRecord } from '../customers-api/record-hashes.ts';
import type { Store } from '../exports/ports.ts';
import { OBJECT_NAMES } from '../exports/store-objects.ts';
import type { StoredManifest } from '../exports/stored-manifest.ts';

/** What comparing needs of the store. Every call may throw for an outage: then the message comes back. */
export interface ComparePorts {
  readonly store: Pick<Store, 'read' | 'readBytes' | 'put' | 'list' | 'delete'>;
  /** The bytes of an object as they are stored, piece by piece. */
  readonly readStored: (key: string) => AsyncIterable<Uint8Array>;
  readonly isTimeUp: () => boolean;
}

export const SIDES = ['before', 'now'] as const;
/** The earlier export, or the later one. */
export type Side = (typeof SIDES)[number];

/** How much is in memory before it is stored, bytes. Of the texts, so longer records make more. */
export interface CompareSizes {
  /** Of a run, which is in memory twice while it is stored. @default 8 MiB */
  readonly runBytes: number;
  /** Of a block: what a reader unpacks to see one line. @default 1 MiB */
  readonly blockBytes: number;
  /** Of a file, which is compressed in memory. @default 32 MiB */
  readonly fileBytes: number;
}

const MEBIBYTE = 1024 * 1024;

export const COMPARE_SIZES: CompareSizes = {
  runBytes: 8 * MEBIBYTE,
  blockBytes: MEBIBYTE,
  fileBytes: 32 * MEBIBYTE,
};

/** Two exports of the same list, each proven complete. */
export interface ComparedExports extends Readonly<Record<Side, StoredManifest>> {
  /** The member of all records that holds their id. */
  readonly idKey: string;
  /** @default hashIdAndText */
  readonly hashRecord?: HashRecord;
  readonly sizes?: CompareSizes;
  /** Of the later export, with the slash behind it. */
  readonly folder: string;
}

/** One of the exports cannot be compared, and no repetition helps. */
export interface Unusable {
  readonly kind: 'unusable';
  readonly side: Side;
  /** One sentence. */
  readonly reason: string;
}

/** What is stored while an export is compared, and deleted then. @param exportFolder With the slash behind it. */
export function changesFolder(exportFolder: string): string {
  return `${exportFolder}${OBJECT_NAMES.unfinishedChanges}`;
}

/** The share of that for these two exports: the earlier one may be another one by the end. */
export function workFolder({ folder, before }: Pick<ComparedExports, 'folder' | 'before'>): string {
  return `${changesFolder(folder)}since=${before.exportId}/`;
}
