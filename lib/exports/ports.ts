import type { Clock, Connections, Gates, OpenKey, Random } from '../gate/ports.ts';
import type { Swapped } from '../steps/step-kind.ts';
import type {
  ActiveExport,
  ExportEventKind,
  ExportState,
  HistoryPlace,
  PartRecord,
} from './export-state.ts';

/**
 * All that an export needs from outside. Every call may throw for an outage: then the work ends where it
 * stands, the message comes back, and the next worker goes on from the ledger.
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
}

/** The same without the store, which only who runs a step needs: less code to load, fewer rights to give. */
export type ClientPorts = Omit<ExportPorts, 'store'>;

/** For who starts exports and watches over them: it looks whether there is a key, and makes no request. */
export type ControlPorts = Omit<ClientPorts, 'connections'> & {
  readonly connections: Connections<OpenKey>;
};

/**
 * Exports, parts and the active-export item, in one table. Reads are strongly consistent, but not those
 * through an index; writes touch one item each.
 */
export interface Ledger {
  readExport(connection: string, exportId: string): Promise<ExportState | undefined>;
  /**
   * Stores `next` if the item's `writeToken` is still `expectedToken`; `undefined` means if there is no
   * item. When the condition fails, the item is read: holding `next.writeToken` it is this very write,
   * whose answer was lost, and the result is `written`.
   */
  writeExport(next: ExportState, expectedToken: string | undefined): Promise<Swapped<ExportState>>;
  /**
   * Places of exports of a connection, newest `startedAtMs` first and of equal times the greater id first,
   * through an index that may lag behind. It costs the same however many there are.
   *
   * @param limit Places at most.
   * @param after Only those that come after this place. @default - from the newest on
   */
  listExports(
    connection: string,
    limit: number,
    after?: HistoryPlace,
  ): Promise<readonly HistoryPlace[]>;

  /** Stores the record, replacing one with the same number and token. */
  putPart(record: PartRecord): Promise<void>;
  /** All records of an export, in any order, those that do not count too. */
  listParts(connection: string, exportId: string): Promise<readonly PartRecord[]>;

  readActive(connection: string): Promise<ActiveExport | undefined>;
  /** Stores the item if the connection has none. Gives what is there afterwards. */
  putActiveIfAbsent(active: ActiveExport): Promise<ActiveExport>;
  /** Removes the item if it still names this export; otherwise does nothing. */
  clearActive(connection: string, exportId: string): Promise<void>;
  /** The active-export items of all connections, through the sparse index; may lag behind. */
  listActive(): Promise<readonly ActiveExport[]>;
}

/** Objects in one bucket. Keys have no leading slash. */
export interface Store {
  /** Stores or replaces. Callers give the same key only to the same bytes. */
  put(key: string, body: Uint8Array, about: ObjectAbout): Promise<void>;
  /** `undefined` when there is no such object. */
  read(key: string): Promise<StoredText | undefined>;
  /**
   * Replaces the object if its version is still `expectedVersion`; `undefined` means if there is none
   * (S3: `If-Match`, `If-None-Match: *`). A lost answer may show as `changed`: read to find out.
   */
  replace(
    key: string,
    body: Uint8Array,
    about: ObjectAbout,
    expectedVersion: string | undefined,
  ): Promise<'replaced' | 'changed'>;
  /** All keys that begin with the prefix. */
  list(prefix: string): Promise<readonly string[]>;
  /** Deletes what is there of these keys; any number of them. */
  delete(keys: readonly string[]): Promise<void>;
}

export interface ObjectAbout {
  readonly contentType: 'application/json' | 'application/x-ndjson';
  readonly contentEncoding?: 'gzip';
  /** SHA-256 of the body, hex; S3 checks it on arrival (`ChecksumSHA256`, in base64 there). */
  readonly sha256: string;
}

export interface StoredText {
  readonly text: string;
  /** S3's ETag. */
  readonly version: string;
}

/** A pointer to the ledger, never the truth itself. */
export interface WakeUp {
  readonly v: 1;
  readonly connection: string;
  readonly exportId: string;
  readonly step: number;
}

export interface WakeUpQueue {
  /** @param delaySeconds Whole seconds, 0 to 900 (SQS's limit of DelaySeconds). */
  send(wakeUp: WakeUp, delaySeconds: number): Promise<void>;
}

export interface EventBus {
  /** Publishes at least once: consumers tell repeats by `id`. */
  publish(event: ExportEvent): Promise<void>;
}

/**
 * EventBridge: source `customers-functions`, detail type such as `Export Completed`, detail the whole
 * event and its version. The JSON Schemas in `lib/events` say which member an event of which kind has.
 */
export interface ExportEvent {
  /** Equal for repeats of the same event. */
  readonly id: string;
  readonly kind: ExportEventKind;
  readonly atMs: number;
  readonly connection: string;
  readonly exportId: string;
  readonly pages: number;
  readonly customers: number;
  /** Key of the manifest, on `completed`. */
  readonly manifestKey?: string;
  readonly completeness?: string;
  /** On `failed` and `halted`. */
  readonly reasonCode?: string;
  readonly reasonMessage?: string;
  /** On `failed`: from when on the API may be asked again, when it told so. */
  readonly resumeAtMs?: number;
  /** On `throttled-long`: no request before this time. */
  readonly untilMs?: number;
}
