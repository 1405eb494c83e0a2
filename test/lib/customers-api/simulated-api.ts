import type { SimulatorOptions } from '../../../infra/simulator/options.ts';
import type { Simulator } from '../../../infra/simulator/simulator.ts';
import { type ApiRequests, createApiRequests } from '../../../lib/customers-api/api-requests.ts';
import { type CustomersClient, createCustomersClient } from '../../../lib/customers-api/client.ts';
import type { CustomersClientOptions } from '../../../lib/customers-api/settings.ts';
import { startTrustedSimulator } from '../../trusted-simulator.ts';

/** The key of every test: if it is found in anything a person could see, a rule was broken. */
export const CANARY = 'cAnArY-7f3d9e21/b64+form="x"';

export interface SimulatedApi {
  readonly simulator: Simulator;
  readonly client: CustomersClient;
  /** What functions have in place of a client. */
  readonly requests: ApiRequests;
}

/** Starts a simulator that knows {@link CANARY} and a client that trusts its certificate. */
export async function startSimulatedApi(
  simulatorOptions: SimulatorOptions = {},
  clientOptions: Partial<CustomersClientOptions> = {},
): Promise<SimulatedApi> {
  const simulator = await startTrustedSimulator({
    customers: 250,
    organizations: [{ key: CANARY }],
    ...simulatorOptions,
  });
  const options = { baseUrl: simulator.url, key: CANARY, ...clientOptions };
  return {
    simulator,
    client: createCustomersClient(options),
    requests: createApiRequests(options),
  };
}
