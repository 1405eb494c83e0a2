// Our worker as it is deployed, steps and parts included, over a ledger in memory and files for the store.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../functions/aws/clock.ts';
import { createConnections } from '../../../functions/aws/connections.ts';
import { systemRandom } from '../../../functions/aws/random.ts';
import { exportSettingsOf } from '../../../lib/exports/export-settings.ts';
import type { ExportPorts, Store, WakeUp } from '../../../lib/exports/ports.ts';
import { runStep } from '../../../lib/exports/run-step.ts';
import { startExport } from '../../../lib/exports/start-export.ts';
import { ApiKey } from '../../../lib/index.ts';
import { MemoryGates, MemoryLedger } from '../../faults/memory-ledger.ts';
import { contend, type Work } from './work.ts';

const CONNECTION = 'bench';
const EXPORT_ID = 'bench-export';
const STEP_MS = 300_000;

await contend(async (work: Work) => {
  const ledger = new MemoryLedger();
  const queue: WakeUp[] = [];
  const ports = portsOf(work, ledger, queue);
  const settings = exportSettingsOf({ perPage: work.perPage });
  await startExport(ports, settings, CONNECTION, EXPORT_ID);
  for (let wakeUp = queue.shift(); wakeUp !== undefined; wakeUp = queue.shift()) {
    const endsAtMs = Date.now() + STEP_MS;
    await runStep(ports, settings, wakeUp, { remainingMs: () => endsAtMs - Date.now() });
  }
  const state = ledger.readExport(CONNECTION, EXPORT_ID);
  if (state?.status !== 'completed') throw new Error(`The export ended ${state?.status}.`);
  return state.counters.customers;
});

function portsOf(work: Work, ledger: MemoryLedger, queue: WakeUp[]): ExportPorts {
  const gates = new MemoryGates();
  return {
    clock: systemClock,
    random: systemRandom,
    ledger: {
      readExport: async (...args) => ledger.readExport(...args),
      writeExport: async (...args) => ledger.writeExport(...args),
      listExports: async (...args) => ledger.listExports(...args),
      putPart: async (...args) => ledger.putPart(...args),
      listParts: async (...args) => ledger.listParts(...args),
      readActive: async (...args) => ledger.readActive(...args),
      putActiveIfAbsent: async (...args) => ledger.putActiveIfAbsent(...args),
      clearActive: async (...args) => ledger.clearActive(...args),
      listActive: async () => ledger.listActive(),
    },
    gates: {
      read: async (...args) => gates.read(...args),
      blockUntil: async (...args) => gates.blockUntil(...args),
      haltKeyVersion: async (...args) => gates.haltKeyVersion(...args),
      storePace: async (...args) => gates.storePace(...args),
    },
    store: fileStore(work.out),
    queue: { send: async (wakeUp) => void queue.push(wakeUp) },
    connections: createConnections({
      keyStore: {
        read: async () => ({ kind: 'key', key: ApiKey.from(work.key), keyVersion: 'v1' }),
      },
      apiSettingsOf: () => ({ baseUrl: work.baseUrl }),
    }),
    events: { publish: async () => {} },
  };
}

/** One export into an empty folder: nothing is there before it is put. */
function fileStore(folder: string): Store {
  const put = async (key: string, body: Uint8Array): Promise<void> => {
    const path = join(folder, key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, body);
  };
  return {
    put,
    read: async () => undefined,
    replace: async (key, body) => {
      await put(key, body);
      return 'replaced';
    },
    list: async () => [],
    delete: async () => {},
  };
}
