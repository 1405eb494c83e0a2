import type { HashRecord } from '../customers-api/record-hashes.ts';
import type { Store } from '../exports/ports.ts';
import type { StoredManifest } from '../exports/stored-manifest.ts';

/** What comparing needs of the store. Every call may throw for an outage: then the message comes back. */
export interface ComparePorts {
  readonly store: Pick<Store, 'read' | 'readBytes' | 'put' | 'list' | 'delete'>;
  /** The bytes of an object as they are stored, piece by piece. */
  readonly readStored: (key: string) => AsyncIterable<Uint8Array>;
  /** Whether the invocation has no time for another share of the work. */
  readonly isTimeUp: () => boolean;
}

export const SIDES = ['before', 'now'] as const;
/** The earlier export, or the later one. */
export type Side = (typeof SIDES)[number];

/** Two exports of the same list, each proven complete. */
export interface ComparedExports extends Readonly<Record<Side, StoredManifest>> {
  /** The member of all records that holds their id. */
  readonly idKey: string;
  /** @default hashIdAndText */
  readonly hashRecord?: HashRecord;
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
  return `${exportFolder}changes-unfinished/`;
}

/** The share of that for these two exports: the earlier one may be another one by the end. */
export function workFolder({ folder, before }: Pick<ComparedExports, 'folder' | 'before'>): string {
  return `${changesFolder(folder)}since=${before.exportId}/`;
}
