import type { ListOutcome } from '../customers-api/outcome.ts';
import type { GatePace } from '../pace/gate-pace.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts; it never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Random {
  /** 0 (inclusive) to 1 (exclusive), for jitter. */
  fraction(): number;
  /** 32 random hex digits. */
  token(): string;
}

/** What everyone who calls the API with a connection's key must respect (`gate`). */
export interface Gate {
  /** No request before this time, milliseconds since the epoch; 0 when nothing was asked for. */
  readonly blockedUntilMs: number;
  /** Versions of the secret whose key failed authentication: never to be sent again. */
  readonly haltedKeyVersions: readonly string[];
  /** What is known of the API's limit; absent while nobody met one. It is advice, not a permission. */
  readonly pace?: GatePace;
}

/** What a look at a gate told. */
export interface GateLook extends Gate {
  /** When the look began, milliseconds since the epoch: what was told to the gate since is not in it. */
  readonly atMs: number;
}

export interface Gates {
  /** A gate that nobody wrote is open: `{blockedUntilMs: 0, haltedKeyVersions: []}`. Strongly consistent. */
  read(connection: string): Promise<Gate>;
  /** Raises `blockedUntilMs`; never lowers it. Repeating does no harm. */
  blockUntil(connection: string, untilMs: number): Promise<void>;
  /** Adds a key version (a string set). Repeating does no harm. */
  haltKeyVersion(connection: string, keyVersion: string): Promise<void>;
  /** Keeps the pace in place of the one before; touches nothing else of the gate. */
  storePace(connection: string, pace: GatePace): Promise<void>;
}

/** @typeParam Open What an adapter can do with an open connection; exports only list pages. */
export interface Connections<Open extends OpenKey = OpenConnection> {
  /**
   * Reads the connection's key.
   *
   * @param freshness `cached` may be a minute old; `fresh` asks Secrets Manager.
   * @throws for an outage of Secrets Manager, a denied access included.
   */
  open(connection: string, freshness: 'cached' | 'fresh'): Promise<Open | NoKey>;
}

export type OpenResult = OpenConnection | NoKey;

/** A connection that has a key. */
export interface OpenKey {
  readonly kind: 'open';
  /** VersionId of the secret. */
  readonly keyVersion: string;
  /** What the secret says in place of the export's own setting. */
  readonly requestsPerSecond?: number;
}

export interface OpenConnection extends OpenKey {
  /** Asks for one page, once. Never throws for what the API or the network does. */
  listPage(request: PageRequest, signal: AbortSignal): Promise<ListOutcome>;
}

export interface PageRequest {
  readonly resource: string;
  readonly page: number;
  readonly perPage?: number;
}

/** There is no secret, or what it holds cannot be a key. */
export interface NoKey {
  readonly kind: 'no-key';
  readonly reason: 'missing' | 'malformed';
  /** Absent when the secret is missing. */
  readonly keyVersion?: string;
  /** What is wrong and what to do; no character of the key. */
  readonly message: string;
}
