import { createGatedClient, type GatedClient } from '../../lib/gate/gated-client.ts';
import { systemClock, systemRandom } from '../aws/clock-and-random.ts';
import { type ClientConnections, createConnections } from '../aws/connections.ts';
import { errorFields } from '../middleware/log.ts';
import { processLog } from '../middleware/process-log.ts';
import { type ConnectionServices, createConnectionServices } from './connection-services.ts';

/** What a function needs that makes requests to the API; made once a process. */
export interface ClientServices extends ConnectionServices {
  readonly connections: ClientConnections;
  /** For requests beside the exports of the connection, in one invocation: see `tellUntilMs`. */
  readonly clientOf: (connection: string, tellUntilMs: number) => GatedClient;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createClientServices(): ClientServices {
  const services = createConnectionServices();
  const connections = createConnections(services);
  return {
    ...services,
    connections,
    clientOf: (connection, tellUntilMs) =>
      createGatedClient({
        connection,
        connections,
        gates: services.gates,
        clock: systemClock,
        random: systemRandom,
        tellUntilMs,
        onGateError: (error) =>
          processLog.error('Gate not told', { connection, ...errorFields(error) }),
      }),
  };
}
