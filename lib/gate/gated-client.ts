import type { CustomersClient, ReadRequest } from '../customers-api/client.ts';
import type { ListOutcome, ReadOutcome, WriteOutcome } from '../customers-api/outcome.ts';
import type { WriteRequest } from '../customers-api/write.ts';
import { MAX_TIME_MS } from './blocked-until.ts';
import { MAX_GATE_AGE_MS } from './gate-look.ts';
import type {
  Clock,
  Connections,
  Gates,
  NoKey,
  OpenConnection,
  PageRequest,
  Random,
} from './ports.ts';
import { recordHalt, recordWait } from './record-in-gate.ts';
import { usableConnection } from './usable-connection.ts';

export type NotSent =
  /** The API asked a caller of this connection to wait, and the wait is not over. */
  | {
      readonly kind: 'blocked';
      /** Milliseconds since the epoch. */
      readonly untilMs: number;
      /** Whole seconds from now, 1 or more. */
      readonly retryAfterSeconds: number;
    }
  /** The newest key version failed authentication. */
  | { readonly kind: 'halted'; readonly keyVersion: string; readonly message: string }
  | NoKey;

/** An open connection with all calls of the API, not only those of exports. */
export interface ClientConnection extends OpenConnection {
  readonly client: Pick<CustomersClient, 'list' | 'read' | 'write'>;
}

export interface LivePageRequest extends Omit<PageRequest, 'resource'> {
  /** @default 'customers' */
  readonly resource?: string;
  /** Query parameters that select records; their meaning is the API's. */
  readonly query?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * A connection's client for callers beside its exports: it sends no request while the gate is closed, and
 * records in the gate what the API asks for. Every answer is a value.
 */
export interface GatedClient {
  /** @throws SettingError for a request that cannot be sent; AwsCallError. */
  listPage(request: LivePageRequest): Promise<ListOutcome | NotSent>;
  /** Throws as {@link GatedClient.listPage}. */
  read(request: ReadRequest): Promise<ReadOutcome | NotSent>;
  /** Sends a write once, see the outcome `unclear`. Throws as {@link GatedClient.listPage}. */
  write(request: WriteRequest): Promise<WriteOutcome | NotSent>;
}

export interface GatedClientOptions {
  readonly connection: string;
  readonly connections: Connections<ClientConnection>;
  readonly gates: Gates;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  /**
   * Until when a failed record in the gate is retried, milliseconds since the epoch: without it other callers
   * would ask too early or send a rejected key again.
   */
  readonly recordUntilMs: number;
  /**
   * Called when the gate could not record what the API asked for. The outcome is returned all the same: the
   * caller must learn whether a write took effect.
   */
  readonly onGateError: (error: unknown) => void;
}

type Outcome = ListOutcome | ReadOutcome | WriteOutcome;

/** Makes the client of one connection. Cheap: `connections` caches the key and the HTTP client. */
export function createGatedClient(options: GatedClientOptions): GatedClient {
  const { connection, connections, gates, clock, recordUntilMs, onGateError } = options;

  const open = async (rejected: readonly string[]): Promise<ClientConnection | NotSent> => {
    const { blockedUntilMs, haltedKeyVersions } = await gates.read(connection);
    const restMs = blockedUntilMs - clock.now();
    if (restMs > 0) {
      const retryAfterSeconds = Math.ceil(restMs / 1000);
      return { kind: 'blocked', untilMs: blockedUntilMs, retryAfterSeconds };
    }
    const gate = { haltedKeyVersions: [...haltedKeyVersions, ...rejected] };
    const opened = await usableConnection(connections, connection, gate);
    return opened.kind === 'rejected' ? haltedBy(connection, opened.keyVersion) : opened;
  };

  /**
   * A process that was paused during the read may hold an outdated gate, and its own timeouts may not have
   * fired. So it reads the gate once more. Only once: if all reads are slow, no request would ever be sent.
   */
  const openNow = async (rejected: readonly string[]): Promise<ClientConnection | NotSent> => {
    const fromMs = clock.now();
    const opened = await open(rejected);
    return clock.now() - fromMs <= MAX_GATE_AGE_MS ? opened : open(rejected);
  };

  const once = async <T extends Outcome>(
    ask: (opened: ClientConnection) => Promise<T>,
    rejected: readonly string[],
  ): Promise<{ outcome: T | NotSent; keyVersion: string | undefined }> => {
    const opened = await openNow(rejected);
    if (opened.kind !== 'open') return { outcome: opened, keyVersion: undefined };
    const { keyVersion } = opened;
    const outcome = await ask(opened);
    await tellOthers(outcome, keyVersion).catch(onGateError);
    return { outcome, keyVersion };
  };

  const tellOthers = async (outcome: Outcome, keyVersion: string): Promise<void> => {
    if (outcome.kind === 'authentication-failure') {
      await recordHalt(options, connection, keyVersion, recordUntilMs);
    }
    if ('retryAfterSeconds' in outcome && outcome.retryAfterSeconds !== undefined) {
      const untilMs = Math.min(MAX_TIME_MS, clock.now() + outcome.retryAfterSeconds * 1000);
      await recordWait(options, connection, { untilMs }, recordUntilMs);
    }
  };

  /** A rejected key may have been replaced a moment ago: the API did nothing, so the new key is tried. */
  const send = async <T extends Outcome>(
    ask: (opened: ClientConnection) => Promise<T>,
  ): Promise<T | NotSent> => {
    const { outcome, keyVersion } = await once(ask, []);
    if (outcome.kind !== 'authentication-failure' || keyVersion === undefined) return outcome;
    const again = await once(ask, [keyVersion]);
    return again.keyVersion === undefined ? outcome : again.outcome;
  };

  return {
    listPage: ({ resource = 'customers', query, page, perPage, signal }) =>
      send(({ client }) => client.list(resource, query).listPage(page, perPage, signal)),
    read: (request) => send(({ client }) => client.read(request)),
    write: (request) => send(({ client }) => client.write(request)),
  };
}

function haltedBy(connection: string, keyVersion: string): NotSent {
  return {
    kind: 'halted',
    keyVersion,
    message: `The API did not accept the key of connection ${connection}, secret version ${keyVersion}. That version is not sent again. Store a valid key as a new version of the secret.`,
  };
}
