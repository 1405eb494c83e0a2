import type {
  Clock,
  Connections,
  Gates,
  OpenKey,
  OrganizationEvent,
  Random,
} from '../gate/ports.ts';
import type { Swapped } from '../steps/step-kind.ts';
import type { Listing } from '../steps/unreadable-item.ts';
import type { CarriedPages } from './carried-pages.ts';
import type { Compression } from './compression.ts';
import type { ExportLine } from './export-line.ts';
import type { Cancellation, ExportEventKind, ExportState, HistoryPlace } from './export-state.ts';
import type { PartRecord } from './part-record.ts';

/**
 * Everything that an export needs from outside. Every call may throw for an outage: then the step ends, the
 * message is delivered again, and the next worker continues from the ledger.
 */
export interface ExportPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly gates: Gates;
  readonly store: Store;
  readonly queue: WakeUpQueue;
  readonly connections: Connections;
  readonly events: EventBus;
  /** Of this process. @default nothing is carried from step to step */
  readonly carried?: CarriedPages;
}

/**
 * For code that starts exports or watches them: it checks whether there is a key, and sends no request. The store
 * is left out, which only a step needs: less code to load, fewer permissions.
 */
export type ControlPorts = Omit<ExportPorts, 'store' | 'connections'> & {
  readonly connections: Connections<OpenKey>;
};

export interface SweepPorts extends ControlPorts {
  readonly ledger: Ledger & UntoldExports;
}

export interface UntoldExports {
  /** Exports that no line holds, and whose `sweepAtMs` is past, oldest first, some thousands at most. Reads a sparse index, which may lag. */
  listUntold(untilMs: number): Promise<readonly ExportName[]>;
}

export type ExportName = Pick<ExportState, 'connection' | 'exportId'>;

/**
 * Exports, parts and the line of each connection, in one table. Reads are strongly consistent, except reads of an
 * index. Each write touches one item. Reads of one item throw UnreadableItemError.
 */
export interface Ledger {
  readExport(connection: string, exportId: string): Promise<ExportState | undefined>;
  /** As {@link StepKind.swap}. */
  writeExport(next: ExportState, expectedToken: string | undefined): Promise<Swapped<ExportState>>;
  /**
   * Exports of a connection, newest `startedAtMs` first, with equal times the greater id first. Reads an index
   * that may lag; the cost does not depend on their number, unless only one list is wanted.
   */
  listExports(connection: string, query: HistoryQuery): Promise<Listing<HistoryPlace>>;

  /** Stores the record, or replaces one with the same number and token. */
  putPart(record: PartRecord): Promise<void>;
  /** All records of an export, in any order, also those that do not count. */
  listParts(connection: string, exportId: string): Promise<readonly PartRecord[]>;

  /** `undefined` while the connection has no unfinished export. */
  readLine(connection: string): Promise<ExportLine | undefined>;
  /** As {@link StepKind.swap}; deletes the item if `next` has no entries. */
  writeLine(next: ExportLine, expectedToken: string | undefined): Promise<Swapped<ExportLine>>;
  /** The lines of all connections. Reads the sparse index, which may lag. */
  listLines(): Promise<Listing<ExportLine>>;
}

export interface HistoryQuery {
  readonly limit: number;
  /** Only places after this one. @default - from the newest on */
  readonly after?: HistoryPlace | undefined;
  /** Only exports of this list. @default - of all lists */
  readonly list?: string | undefined;
}

/** Objects in one bucket. Keys have no leading slash. */
export interface Store {
  /** Stores or replaces an object. The same key always has the same bytes. @returns Its version. */
  put(key: string, body: Uint8Array, about: ObjectAbout): Promise<string>;
  read(key: string): Promise<StoredText | undefined>;
  /** Some bytes of an object that is there: `from` inclusive, `to` exclusive and greater. */
  readBytes(key: string, from: number, to: number): Promise<Uint8Array>;
  /**
   * Replaces the object if its version is `expectedVersion`; `undefined` means: if there is none (S3:
   * `If-Match`, `If-None-Match: *`). After a lost answer the result may be `changed`: read the object.
   */
  replace(
    key: string,
    body: Uint8Array,
    about: ObjectAbout,
    expectedVersion: string | undefined,
  ): Promise<'replaced' | 'changed'>;
  /** All objects below a prefix, with every write and delete that was over before this call. */
  list(prefix: string): Promise<readonly StoredObject[]>;
  /** Deletes any number of keys; missing objects are ignored. */
  delete(keys: readonly string[]): Promise<void>;
}

export interface ObjectAbout {
  readonly contentType:
    | 'application/json'
    | 'application/x-ndjson'
    | 'application/octet-stream'
    | 'text/plain';
  readonly contentEncoding?: Compression;
  /** SHA-256 of the body, hex; S3 checks it on upload (`ChecksumSHA256`, there in base64). */
  readonly sha256: string;
}

export interface StoredText {
  readonly text: string;
  /** S3's ETag. */
  readonly version: string;
}

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  /** S3's ETag: the one that its PutObject answered, until somebody writes the object again. */
  readonly version: string;
}

/** A pointer to the ledger; only the ledger has the state. */
export interface WakeUp {
  readonly v: 1;
  readonly connection: string;
  readonly exportId: string;
  readonly step: number;
}

interface WakeUpQueue {
  /** @param dueAtMs When it is due; it comes earlier where SQS delays no longer. @default at once */
  send(wakeUp: WakeUp, dueAtMs?: number): Promise<void>;
}

interface EventBus {
  /** Publishes at least once: consumers recognize repeats by `id`. */
  publish(event: ExportEvent | OrganizationEvent): Promise<void>;
}

/**
 * EventBridge: source `customers-functions`, detail type such as `Export Completed`; the detail is the whole
 * event and its version. The JSON Schemas in `lib/events` define the members of each kind.
 */
export interface ExportEvent {
  /** Equal for repeats of an event. */
  readonly id: string;
  readonly kind: ExportEventKind;
  readonly atMs: number;
  readonly connection: string;
  readonly list: string;
  readonly exportId: string;
  readonly pages: number;
  readonly customers: number;
  readonly manifestKey?: string;
  readonly completeness?: string;
  /** On `failed` and `halted`. */
  readonly reasonCode?: string;
  readonly reasonMessage?: string;
  /** On `failed`: the API accepts requests again from then on, if it stated a time. */
  readonly resumeAtMs?: number;
  /** On `cancelled`: who ended it, and why. */
  readonly by?: string;
  readonly reason?: string;
  /** On `cancelled`: what becomes of what is stored. */
  readonly parts?: Cancellation['parts'];
  /** On `throttled-long`: no request before then. */
  readonly untilMs?: number;
}
