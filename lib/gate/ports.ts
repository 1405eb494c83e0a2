import * as v from 'valibot';
import type { ListOutcome } from '../customers-api/outcome.ts';
import type { GatePace } from '../pace/gate-pace.ts';
import type { PlaceChange, Places } from '../pace/places.ts';
import { maybe, type Stored, text, timeMs } from '../stored.ts';
import type {
  Credential,
  Organization,
  OrganizationChange,
  StoredVersion,
} from './organization.ts';
import type { OrganizationSample } from './organization-sample.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds that this process was busy since any moment, so not waiting for answers. @default it never is */
  busyMs?(): number;
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
  /** All versions that were stored until then count as such, milliseconds since the epoch; absent while each is named. */
  readonly haltedUntilMs?: number;
  /** What the API sent to ask for the latest wait, such as `Retry-After: 3600`. */
  readonly waitAsSent?: string;
  /** The latest opening; absent until somebody opened the gate. */
  readonly opening?: GateOpening;
  /** The learned limit of the API; absent until the first throttle. It is advice, not a permission. */
  readonly pace?: GatePace;
  /** Of the requests of all callers; absent until a caller beside exports took one under a known limit. */
  readonly places?: Places;
  /** The latest export that was cancelled while a worker was at it: it sends no request for it any more. */
  readonly stoppedExportId?: string;
  /** Absent until the first use of a key. */
  readonly organization?: Organization;
  /** Of the organization's records; absent until a page of it was stored or read. */
  readonly sample?: OrganizationSample;
}

/** A person ended a wait that no operator would accept. */
export type GateOpening = Stored<typeof GateOpeningSchema>;

export const GateOpeningSchema = v.object({
  id: text,
  atMs: timeMs,
  /** Who opened it, such as the ARN of the caller; 1 to 2,048 characters. */
  by: text,
  /** Why; 1 to 1,024 characters. */
  reason: text,
  /** The end of the wait that was ended. */
  untilMs: timeMs,
  /** What the API sent to ask for it. */
  waitAsSent: maybe(text),
});

export interface GateLook extends Gate {
  /** When the read began, milliseconds since the epoch: later records are missing. */
  readonly atMs: number;
}

export interface Gates {
  /** A gate without an item is open: `{blockedUntilMs: 0, haltedKeyVersions: []}`. Strongly consistent. */
  read(connection: string): Promise<Gate>;
  /**
   * Raises `blockedUntilMs`; never lowers it. Safe to repeat.
   *
   * @param waitAsSent What the API sent to ask for the wait.
   * @returns Whether this call raised it.
   */
  blockUntil(connection: string, blockedUntilMs: number, waitAsSent?: string): Promise<boolean>;
  /** Names a key version, or in place of too many names the time that it was stored. Safe to repeat. */
  haltKeyVersion(connection: string, version: StoredVersion): Promise<void>;
  /** Replaces the pace, unless the connection has another organization by now. */
  storePace(connection: string, organizationId: string, pace: GatePace): Promise<void>;
  /**
   * Makes the change if the places are as it expects. After a lost answer it may be made twice.
   *
   * @returns The gate afterwards; `undefined` when the places were not as expected.
   */
  changePlaces(connection: string, change: PlaceChange): Promise<Gate | undefined>;
  /** Replaces the sample, unless the connection has another organization by now. */
  storeSample(
    connection: string,
    organizationId: string,
    sample: OrganizationSample,
  ): Promise<void>;
  /**
   * Stores `next` if the gate still has the organization that was `seen`, by its token; `undefined` means: if it
   * has none. Pace and sample of another organization go. A change that was shown by nothing is not stored where there is
   * a sample: that came after the look.
   *
   * @returns Whether it was stored. After a lost answer it may be `false` although it was: read the gate.
   */
  replaceOrganization(
    connection: string,
    next: Organization,
    seen: Organization | undefined,
  ): Promise<boolean>;
}

/** What only a person asks for. */
export interface GateOpenings {
  /**
   * Ends the wait and stores the opening, by one conditional write: a wait that comes meanwhile is decided about
   * anew. Pace and places go too: they come from that wait.
   *
   * @param openingOf Returns `undefined` when there is nothing to open.
   * @returns The gate afterwards.
   */
  open(connection: string, openingOf: (gate: Gate) => GateOpening | undefined): Promise<Gate>;
  /** Lets the worker of an export know that it was cancelled. Safe to repeat. */
  stopExport(connection: string, exportId: string): Promise<void>;
}

/** @typeParam Open Calls of an open connection; exports only list pages. */
export interface Connections<Open extends OpenKey = OpenConnection> {
  /**
   * Reads the connection's key.
   *
   * @param freshness `cached` may be a minute old; `fresh` reads Secrets Manager.
   * @param openingId Of the gate's latest opening: a wait that was told before is forgotten.
   * @throws for an outage of Secrets Manager, also for denied access.
   */
  open(
    connection: string,
    freshness: 'cached' | 'fresh',
    openingId?: string,
  ): Promise<Open | NoKey>;
}

export interface OpenKey extends Credential {
  readonly kind: 'open';
  /** The secret's value, instead of the export's own setting. */
  readonly requestsPerSecond?: number;
}

export interface OpenConnection extends OpenKey {
  /**
   * Requests one page, once. Never throws for a failure of the API or the network.
   *
   * @param onLeave Called when the request leaves, once its connection is there; not where that is not known.
   */
  listPage(request: PageRequest, signal: AbortSignal, onLeave?: () => void): Promise<ListOutcome>;
}

export interface PageRequest {
  /** Whose settings say where the records of a page are. */
  readonly list: string;
  readonly resource: string;
  readonly page: number;
  readonly perPage?: number;
  /** The member that identifies a record, in place of the setting of the list: as learned from an earlier page. */
  readonly idKey?: string;
  /** The member with the records, in place of the setting of the list; `false`: it is found by rule. */
  readonly itemsKey?: string | false;
  /** Parameters besides `page` and `per_page`. */
  readonly query: Readonly<Record<string, string>>;
  /** The page need not be there: only status 401 rejects the key, and not 403, by which some refuse a page. */
  readonly isProbe?: true;
}

/** EventBridge: detail type `Organization Changed`, see `lib/events`. */
export interface OrganizationEvent extends Omit<OrganizationChange, 'previousId'> {
  /** Equal for repeats of an event. */
  readonly id: string;
  readonly kind: 'organization-changed';
  readonly connection: string;
  readonly organizationId: string;
  readonly previousOrganizationId: string;
}

export interface OrganizationEvents {
  /** Publishes at least once: consumers recognize repeats by `id`. */
  publish(event: OrganizationEvent): Promise<void>;
}

/** There is no secret, its value cannot be a key, or another connection has the same key. */
export interface NoKey {
  readonly kind: 'no-key';
  readonly reason: 'missing' | 'malformed' | 'in-use';
  /** Absent when the secret is missing. */
  readonly keyVersion?: string;
  /** What is wrong and what to do; contains no character of the key. */
  readonly message: string;
}
