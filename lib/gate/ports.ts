import type { ListOutcome } from '../customers-api/outcome.ts';
import type { GatePace } from '../pace/gate-pace.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Random {
  /** 0 (inclusive) to 1 (exclusive), for jitter. */
  fraction(): number;
  /** 32 random hex digits. */
  token(): string;
}

/** The ledger item `gate`: limits for every caller that uses the connection's key. */
export interface Gate {
  /** No request before this time, milliseconds since the epoch; 0 when the API asked for no wait. */
  readonly blockedUntilMs: number;
  /** Versions of the secret whose key failed authentication: never sent again. */
  readonly haltedKeyVersions: readonly string[];
  /** The learned limit of the API; absent until the first throttle. It is advice, not a permission. */
  readonly pace?: GatePace;
}

export interface GateLook extends Gate {
  /** When the read began, milliseconds since the epoch: later records are missing. */
  readonly atMs: number;
}

export interface Gates {
  /** A gate without an item is open: `{blockedUntilMs: 0, haltedKeyVersions: []}`. Strongly consistent. */
  read(connection: string): Promise<Gate>;
  /** Raises `blockedUntilMs`; never lowers it. Safe to repeat. */
  blockUntil(connection: string, blockedUntilMs: number): Promise<void>;
  /** Adds a key version to a string set. Safe to repeat. */
  haltKeyVersion(connection: string, keyVersion: string): Promise<void>;
  /** Replaces the pace; changes nothing else of the gate. */
  storePace(connection: string, pace: GatePace): Promise<void>;
}

/** @typeParam Open Calls of an open connection; exports only list pages. */
export interface Connections<Open extends OpenKey = OpenConnection> {
  /**
   * Reads the connection's key.
   *
   * @param freshness `cached` may be a minute old; `fresh` reads Secrets Manager.
   * @throws for an outage of Secrets Manager, also for denied access.
   */
  open(connection: string, freshness: 'cached' | 'fresh'): Promise<Open | NoKey>;
}

export type OpenResult = OpenConnection | NoKey;

export interface OpenKey {
  readonly kind: 'open';
  /** VersionId of the secret. */
  readonly keyVersion: string;
  /** The secret's value, instead of the export's own setting. */
  readonly requestsPerSecond?: number;
}

export interface OpenConnection extends OpenKey {
  /** Requests one page, once. Never throws for a failure of the API or the network. */
  listPage(request: PageRequest, signal: AbortSignal): Promise<ListOutcome>;
}

export interface PageRequest {
  readonly resource: string;
  readonly page: number;
  readonly perPage?: number;
}

/** There is no secret, or its value cannot be a key. */
export interface NoKey {
  readonly kind: 'no-key';
  readonly reason: 'missing' | 'malformed';
  /** Absent when the secret is missing. */
  readonly keyVersion?: string;
  /** What is wrong and what to do; contains no character of the key. */
  readonly message: string;
}
