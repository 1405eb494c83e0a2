import * as v from 'valibot';
import type { Clock } from '../../lib/gate/ports.ts';
import { ConnectionNameSchema } from '../../lib/names.ts';
import type { KeyStore } from './key-store.ts';

/**
 * Whoever asks for a name that does not exist again and again costs one call of Secrets Manager ($0.05 for
 * 10,000) every ten seconds, and a connection is there at most ten seconds after its secret.
 */
const ABSENCE_MAX_AGE_MS = 10_000;
/** Made-up names must not fill the memory of the function. */
const MAX_ABSENCES = 1_000;

export interface KnownConnectionsOptions {
  /** Whether the settings of the stack name it: then it is known also before its secret is there. */
  readonly isDeclared: (connection: string) => boolean;
  readonly keyStore: KeyStore;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Makes a function that answers whether a connection exists: it has a secret, whatever that holds, or the
 * settings name it. A text that cannot be the name of a connection is never looked up.
 */
export function createKnownConnections({
  isDeclared,
  keyStore,
  clock,
}: KnownConnectionsOptions): (connection: string) => Promise<boolean> {
  const absentSinceMs = new Map<string, number>();

  return async (connection) => {
    if (isDeclared(connection)) return true;
    if (!v.is(ConnectionNameSchema, connection)) return false;
    const nowMs = clock.now();
    const ageMs = nowMs - (absentSinceMs.get(connection) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back makes the age negative: then it is not known.
    if (ageMs >= 0 && ageMs < ABSENCE_MAX_AGE_MS) return false;
    absentSinceMs.delete(connection);
    // A key is remembered there, and the request that follows needs it anyway.
    const stored = await keyStore.read(connection, 'cached');
    if (stored.kind === 'key' || stored.reason !== 'missing') return true;
    if (absentSinceMs.size >= MAX_ABSENCES) absentSinceMs.clear();
    absentSinceMs.set(connection, nowMs);
    return false;
  };
}

/** The stack has no connection of the name that came with the event. What came is not repeated. */
export class UnknownConnectionError extends Error {
  override readonly name = 'UnknownConnectionError';
  readonly code = 'UNKNOWN_CONNECTION';

  constructor() {
    super(
      'connection: expected the name of a connection of this stack. A connection is there as soon as its key is stored.',
    );
  }
}
