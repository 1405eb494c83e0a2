import type { Context } from 'aws-lambda';
import { startDeadline } from '../../lib/customers-api/request-deadline.ts';
import { defined } from '../../lib/defined.ts';
import type { ClientConnection } from '../../lib/gate/admitted-connection.ts';
import {
  type BoundClient,
  createGatedClient,
  type GatedClient,
} from '../../lib/gate/gated-client.ts';
import type { Gates, OrganizationEvents } from '../../lib/gate/ports.ts';
import { systemRandom } from '../aws/clock-and-random.ts';
import { errorFields } from '../log/log.ts';
import { processLog } from '../log/process-log.ts';
import type { Services } from './services.ts';

/** Kept for the answer, before the function is ended: a quarter of its time, and no more than this. */
const ANSWER_RESERVE_MS = 5_000;

/** How long an invocation may still ask, and repeat recording in the gate, in milliseconds. */
export function recordMs(context: Pick<Context, 'getRemainingTimeInMillis'>): () => number {
  return () => {
    const leftMs = context.getRemainingTimeInMillis();
    return leftMs - Math.min(ANSWER_RESERVE_MS, leftMs / 4);
  };
}

/** Ends a request while there is time to tell what came of it: Lambda would end both, and nobody knew of a write. */
export async function inTime<Outcome>(
  leftMs: number,
  caller: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const { signal, release } = startDeadline(caller, Math.max(0, leftMs));
  try {
    return await ask(signal);
  } finally {
    release();
  }
}

/** Gives the client of a connection for requests beside its exports, in one invocation. */
export interface ClientOf {
  (connection: string, recordMs: () => number): GatedClient;
  /**
   * @param boundTo Nothing is sent to another organization than this credential's.
   * @param onWaitUntold See `ConnectionOptions`.
   */
  (
    connection: string,
    recordMs: () => number,
    boundTo: string,
    onWaitUntold: (untilMs: number) => void,
  ): BoundClient;
}

interface ClientOptions {
  /** Where a change of organization is published; none in functions of users. */
  readonly events?: OrganizationEvents;
  /** See `ConnectionOptions`. */
  readonly hasPlaces?: boolean;
}

type ClientServices = Pick<Services<ClientConnection>, 'clock' | 'connections' | 'settingsOf'> & {
  readonly gates: Gates;
};

export function createClientOf(
  { clock, connections, gates, settingsOf }: ClientServices,
  options: ClientOptions = {},
): ClientOf {
  function clientOf(connection: string, recordMs: () => number): GatedClient;
  function clientOf(
    connection: string,
    recordMs: () => number,
    boundTo: string,
    onWaitUntold: (untilMs: number) => void,
  ): BoundClient;
  function clientOf(
    connection: string,
    recordMs: () => number,
    boundTo?: string,
    onWaitUntold?: (untilMs: number) => void,
  ): BoundClient {
    const settings = settingsOf(connection);
    const { requestsPerSecond } = settings.export;
    return createGatedClient({
      ...options,
      connection,
      lists: settings.lists,
      connections,
      gates,
      clock,
      random: systemRandom,
      recordMs,
      ...defined({ boundTo, requestsPerSecond, onWaitUntold }),
      onGateError: (error) =>
        processLog.error('Gate not told', { connection, ...errorFields(error) }),
    });
  }
  return clientOf;
}
