import { createCustomersClient } from '../../lib/customers-api/client.ts';
import type { ClientConnection } from '../../lib/gate/gated-client.ts';
import type { Connections } from '../../lib/gate/ports.ts';
import { type ConnectionsOptions, createKeyConnections } from './key-connections.ts';

export type ClientConnections = Connections<ClientConnection>;

/**
 * Opens connections to make requests with. A client is kept as long as the secret has the same version:
 * it remembers a running `Retry-After` and that its key was refused.
 */
export function createConnections(options: ConnectionsOptions): ClientConnections {
  return createKeyConnections(options, (clientOptions, key) => {
    const client = createCustomersClient(clientOptions);
    return {
      ...key,
      client,
      listPage: ({ resource, page, perPage }, signal) =>
        client.list(resource).listPage(page, perPage, signal),
    };
  });
}
