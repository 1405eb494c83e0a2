import { systemClock, systemRandom } from '../../../functions/aws/clock-and-random.ts';
import { connectionSettingsOf } from '../../../functions/services/connection-settings.ts';
import { createClientOf } from '../../../functions/services/gated-clients.ts';
import { asynchronous, MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import type { ApiRequests } from '../../../lib/customers-api/api-requests.ts';
import type { ClientConnection } from '../../../lib/gate/admitted-connection.ts';
import type { Connections } from '../../../lib/gate/ports.ts';
import type { WritePorts } from '../../../lib/writes/ports.ts';

const SETTINGS = connectionSettingsOf({ defaults: {}, connections: {} }, undefined);

/** What writes go by in real time, with one client for every connection and gates in memory; all but their ledger and queue. */
export function portsOfClient(
  client: ApiRequests,
  holdsKey: WritePorts['holdsKey'] = () => false,
): Omit<WritePorts, 'ledger' | 'queue'> {
  const gates = asynchronous(new MemoryGates());
  const connections: Connections<ClientConnection> = {
    open: async () => ({
      kind: 'open',
      keyVersion: 'v1',
      credential: 'v1/',
      client,
      listPage: ({ page }) => client.pagesOf('customers')(page),
    }),
  };
  const services = { clock: systemClock, connections, gates, settingsOf: () => SETTINGS };
  return {
    clock: systemClock,
    random: systemRandom,
    gates,
    events: { publish: async () => undefined },
    connections,
    holdsKey,
    clients: { of: createClientOf(services, { hasPlaces: true }) },
  };
}
