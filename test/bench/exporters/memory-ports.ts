import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '../../../functions/aws/clock-and-random.ts';
import { createConnections, withClient } from '../../../functions/aws/connections.ts';
import {
  asynchronous,
  MemoryGates,
  MemoryLedger,
} from '../../../infra/command/try/memory-ledger.ts';
import { CarriedPages } from '../../../lib/exports/carried-pages.ts';
import type { ExportPorts, ObjectAbout, StoredObject, WakeUp } from '../../../lib/exports/ports.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { delaySecondsUntil } from '../../../lib/steps/delay.ts';
import { readKey, type Task } from './task.ts';

/** A message that waits for its time, as in SQS. */
interface Delayed {
  readonly wakeUp: WakeUp;
  readonly dueAtMs: number;
}

/** All that an export needs, in this process: AWS costs no time here. Files are written to disk. */
export function createMemoryPorts(task: Task) {
  const ledger = new MemoryLedger();
  const gates = new MemoryGates();
  if (existsSync(task.memory)) {
    for (const [name, gate] of JSON.parse(readFileSync(task.memory, 'utf8'))) {
      gates.gates.set(name, gate);
    }
  }
  const delayed: Delayed[] = [];
  const key = { kind: 'key', key: ApiKey.from(readKey()), keyVersion: 'v1' } as const;
  const fileOf = (key: string) => join(task.out, key.replaceAll('/', '_'));
  const stored = new Map<string, StoredObject>();
  const store = async (key: string, body: Uint8Array, { sha256: version }: ObjectAbout) => {
    await writeFile(fileOf(key), body);
    stored.set(key, { key, bytes: body.length, version });
    return version;
  };
  const ports: ExportPorts = {
    clock: systemClock,
    random: systemRandom,
    ledger: asynchronous(ledger),
    gates: asynchronous(gates),
    store: {
      put: store,
      read: async () => undefined,
      readBytes: (key, from, to) => readFrom(fileOf(key), from, to),
      replace: async (key, body, about) => store(key, body, about).then(() => 'replaced'),
      list: async (prefix) => [...stored.values()].filter(({ key }) => key.startsWith(prefix)),
      delete: async (keys) => keys.forEach((key) => void stored.delete(key)),
    },
    queue: {
      send: async (wakeUp, dueAtMs = 0) => {
        const delaySeconds = delaySecondsUntil(dueAtMs, Date.now());
        delayed.push({ wakeUp, dueAtMs: Date.now() + delaySeconds * 1000 });
      },
    },
    connections: createConnections(
      {
        keyStore: { read: async () => key },
        apiSettingsOf: () => ({ baseUrl: task.baseUrl }),
        listsOf: () => new Map(),
      },
      withClient,
    ),
    events: { publish: async () => {} },
    carried: new CarriedPages(),
  };
  return {
    ports,
    ledger,
    nextMessage: () => delayed.shift(),
    /** What the ledger would remember of the connection for its next export. */
    remember: () => writeFileSync(task.memory, JSON.stringify([...gates.gates])),
  };
}

async function readFrom(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(new Uint8Array(to - from), 0, to - from, from);
    return buffer;
  } finally {
    await file.close();
  }
}
