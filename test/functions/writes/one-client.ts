import { setTimeout as delay } from 'node:timers/promises';
import { systemClock, systemRandom } from '../../../functions/aws/clock-and-random.ts';
import { MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import type { ApiRequests } from '../../../lib/customers-api/api-requests.ts';
import { defined } from '../../../lib/defined.ts';
import { connectionListsOf } from '../../../lib/exports/connection-lists.ts';
import type { ClientConnection } from '../../../lib/gate/admitted-connection.ts';
import { createGatedClient } from '../../../lib/gate/gated-client.ts';
import type { Connections } from '../../../lib/gate/ports.ts';
import type { WritePorts } from '../../../lib/writes/ports.ts';

/** What writes go by in real time, with one client for every connection and gates in memory; all but their ledger and queue. */
export function portsOfClient(client: ApiRequests): Omit<WritePorts, 'ledger' | 'queue'> {
  const memory = new MemoryGates();
  const gates: WritePorts['gates'] = {
    read: async (name) => memory.read(name),
    blockUntil: async (...args) => memory.blockUntil(...args),
    haltKeyVersion: async (...args) => memory.haltKeyVersion(...args),
    storePace: async (...args) => memory.storePace(...args),
    storeSample: async (...args) => memory.storeSample(...args),
    replaceOrganization: async (...args) => memory.replaceOrganization(...args),
    changePlaces: async (...args) => memory.changePlaces(...args),
  };
  const connections: WritePorts['connections'] & Connections<ClientConnection> = {
    open: async () => ({
      kind: 'open',
      keyVersion: 'v1',
      credential: 'v1/',
      client,
      listPage: ({ page }) => client.pagesOf('customers')(page),
    }),
  };
  return {
    clock: {
      now: Date.now,
      sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
    },
    random: systemRandom,
    gates,
    events: { publish: async () => undefined },
    connections,
    clients: {
      of: (connection, recordUntilMs, boundTo) =>
        createGatedClient({
          lists: connectionListsOf({}, {}),
          connection,
          connections,
          gates,
          clock: systemClock,
          random: systemRandom,
          recordUntilMs,
          hasPlaces: true,
          ...defined({ boundTo }),
          onGateError: () => undefined,
        }),
    },
  };
}
