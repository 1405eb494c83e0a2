import type { ApiRequests } from '../customers-api/api-requests.ts';
import type { ListOptions } from '../customers-api/list-options.ts';
import type { ListOutcome, ReadOutcome, WriteOutcome } from '../customers-api/outcome.ts';
import { admitKey, isNoPage, type SampleAnswer } from './admit-key.ts';
import { endOfWaitMs } from './blocked-until.ts';
import { freshLook, isFresh, lookAtGate } from './gate-look.ts';
import {
  type BoundNotSent,
  blocked,
  haltedBy,
  type NotSent,
  organizationChanged,
  unproven,
} from './not-sent.ts';
import type { Organization, StoredVersion } from './organization.ts';
import type {
  Clock,
  Connections,
  GateLook,
  Gates,
  OpenConnection,
  OrganizationEvents,
  PageRequest,
  Random,
} from './ports.ts';
import { recordHalt, recordWait } from './record-in-gate.ts';
import { isHalted, usableConnection } from './usable-connection.ts';
import { waitForPlace } from './wait-for-place.ts';

/** An open connection with all calls of the API, not only those of exports. */
export interface ClientConnection extends OpenConnection {
  readonly client: ApiRequests;
}

/** What a list is asked for, and how its pages are read. */
export interface KnownList extends ListOptions {
  readonly resource: string;
  readonly query: Readonly<Record<string, string>>;
}

export interface ConnectionOptions {
  readonly connection: string;
  /** The lists of the connection, by name. */
  readonly lists: ReadonlyMap<string, KnownList>;
  readonly connections: Connections<ClientConnection>;
  readonly gates: Gates;
  readonly clock: Clock;
  readonly random: Random;
  /** A rate that is set; a key's own is stronger. @default - what the connection's exports learned */
  readonly requestsPerSecond?: number;
  /** The caller took a place for each request. @default false: the client takes them */
  readonly hasPlaces?: boolean;
  /** Publishes a change of organization. @default - left to other callers of the connection */
  readonly events?: OrganizationEvents;
  /**
   * Sends nothing with a key of another organization than this credential's (`OpenKey.credential`).
   *
   * @default - any organization
   */
  readonly boundTo?: string;
  /**
   * How long from now on a failed record in the gate is retried, in milliseconds: without it other callers would ask
   * too early or send a rejected key again.
   */
  readonly recordMs: () => number;
  /**
   * Called when the gate could not record what the API asked for. The outcome is returned all the same: the
   * caller must learn whether a write took effect.
   */
  readonly onGateError: (error: unknown) => void;
  /**
   * Called with the end of a wait that the gate could not record, milliseconds since the epoch: who keeps it can tell it later.
   *
   * @default - nobody tells it later
   */
  readonly onWaitUntold?: (untilMs: number) => void;
}

/** An open connection whose key is of the organization that the gate names. */
export interface Admitted {
  readonly kind: 'admitted';
  readonly opened: ClientConnection;
  readonly organization: Organization;
  /** Perhaps newer than its `atMs`. */
  readonly gate: GateLook;
}

/** What a connection is opened for. */
export interface Opening {
  /** Key versions that failed authentication a moment ago. */
  readonly rejected: readonly string[];
  /** Of the caller: ends the check of the organization too. */
  readonly signal: AbortSignal;
}

/** Opens a connection for one request, or says why none may be sent now. */
export async function openAdmitted(
  options: ConnectionOptions,
  opening: Opening,
): Promise<Admitted | BoundNotSent> {
  const opened = await open(options, opening);
  return opened.kind === 'admitted' ? stillAdmitted(options, opened, opening) : opened;
}

/**
 * The connection with a look at the gate that still allows a request. While the key was read, or the organization
 * shown, or while this process was paused, another caller may have met a wait, a rejection of the key or another organization. So the gate
 * is read once more, and nothing else. Only once: if all reads are slow, no request would ever be sent.
 */
export async function stillAdmitted(
  options: ConnectionOptions,
  admitted: Admitted,
  opening: Opening,
): Promise<Admitted | BoundNotSent> {
  const { clock, connection } = options;
  const { opened, organization, gate: latest } = admitted;
  const gate = isFresh(latest.atMs, clock.now()) ? latest : await lookAtGate(options, connection);
  if (gate.blockedUntilMs > clock.now()) return blocked(clock, gate.blockedUntilMs);
  const isSame = !isHalted(opened, gate) && gate.organization?.id === organization.id;
  return isSame ? { ...admitted, gate } : openAdmitted(options, opening);
}

async function open(
  options: ConnectionOptions,
  { rejected, signal }: Opening,
): Promise<Admitted | BoundNotSent> {
  const { connection, connections, clock, boundTo } = options;
  const look = await lookAtGate(options, connection);
  if (look.blockedUntilMs > clock.now()) return blocked(options.clock, look.blockedUntilMs);
  const gate = { ...look, haltedKeyVersions: [...look.haltedKeyVersions, ...rejected] };
  const opened = await usableConnection(connections, connection, gate, boundTo);
  if (opened.kind === 'rejected') return haltedBy(connection, opened.keyVersion);
  return opened.kind === 'open' ? admit(options, { opened, seen: gate, signal }) : opened;
}

interface Checking {
  readonly opened: ClientConnection;
  readonly seen: GateLook;
  readonly signal: AbortSignal;
}

async function admit(
  options: ConnectionOptions,
  checking: Checking,
): Promise<Admitted | BoundNotSent> {
  const { connection, boundTo } = options;
  const { opened, seen } = checking;
  const wanted = { connection, candidate: opened, gate: seen };
  const admission = await admitKey(options, wanted, (page) => ask(options, checking, page));
  if (admission.kind === 'stopped') return admission.stop;
  if (admission.kind === 'being-checked') return blocked(options.clock, admission.retryAtMs);
  const { organization, gate } = admission;
  const isOther = boundTo !== undefined && !organization.credentials.includes(boundTo);
  if (isOther) return organizationChanged(connection, opened.keyVersion);
  return { kind: 'admitted', opened, organization, gate: { ...gate, atMs: seen.atMs } };
}

/** Of the time that the caller has: a place that comes later leaves none for the answer. */
const LONGEST_WAIT_SHARE = 0.5;

export function placeFor(
  options: ConnectionOptions,
  { opened, gate }: Pick<Admitted, 'opened' | 'gate'>,
  signal: AbortSignal,
  longestMs = Number.POSITIVE_INFINITY,
): ReturnType<typeof waitForPlace> {
  const { connection, clock, recordMs } = options;
  const nowMs = clock.now();
  const shareMs = Math.max(0, recordMs()) * LONGEST_WAIT_SHARE;
  return waitForPlace(options, {
    connection,
    seen: gate,
    requestsPerSecond: opened.requestsPerSecond ?? options.requestsPerSecond,
    latestAtMs: nowMs + Math.min(shareMs, longestMs),
    signal,
  });
}

/** While a caller checks, others wait: no longer than its mark lasts, with the time for the request. */
const CHECK_PLACE_MS = 20_000;

/** Asks for the page of the sample, in a place of its own: it is one more request. */
async function ask(
  options: ConnectionOptions,
  { opened, seen, signal }: Checking,
  request: PageRequest,
): Promise<SampleAnswer<NotSent>> {
  const { connection, clock } = options;
  const placed = await placeFor(options, { opened, gate: seen }, signal, CHECK_PLACE_MS);
  if (placed?.kind === 'blocked') return stopped(placed);
  const gate = await freshLook(options, connection, placed?.look ?? seen);
  if (gate.blockedUntilMs > clock.now()) return stopped(blocked(clock, gate.blockedUntilMs));
  const rejected = stopped(haltedBy(connection, opened.keyVersion));
  if (isHalted(opened, gate)) return rejected;
  const outcome = await opened.listPage(request, signal);
  await tellOthers(options, outcome, opened);
  switch (outcome.kind) {
    case 'page':
      return { kind: 'page', page: outcome };
    case 'throttled':
      return stopped(blocked(clock, endOfWaitMs(outcome, clock.now())));
    case 'authentication-failure':
      return rejected;
    default:
      if (isNoPage(outcome)) return { kind: 'no-page' };
      return stopped(unproven(connection, outcome.message));
  }
}

function stopped(stop: NotSent): SampleAnswer<NotSent> {
  return { kind: 'stopped', stop };
}

/** Records in the gate what an answer asks of all callers. */
export async function tellOthers(
  options: ConnectionOptions,
  outcome: ListOutcome | ReadOutcome | WriteOutcome,
  version: StoredVersion,
): Promise<void> {
  const { connection, clock, recordMs, onGateError, onWaitUntold } = options;
  const endMs = clock.now() + recordMs();
  const untilMs = endOfWaitMs(outcome, clock.now());
  try {
    if (outcome.kind === 'authentication-failure') {
      await recordHalt(options, connection, version, endMs);
    }
    if (untilMs === undefined) return;
    await recordWait(options, connection, { untilMs, asSent: outcome.waitAsSent }, endMs);
  } catch (error) {
    onGateError(error);
    if (untilMs !== undefined) onWaitUntold?.(untilMs);
  }
}
