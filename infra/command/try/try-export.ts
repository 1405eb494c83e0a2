import { systemClock, systemRandom } from '../../../functions/aws/clock-and-random.ts';
import { createConnections, withPages } from '../../../functions/aws/connections.ts';
import type { ConnectionSettings } from '../../../functions/services/connection-settings.ts';
import { cancelExport } from '../../../lib/exports/cancel-export.ts';
import { CarriedPages } from '../../../lib/exports/carried-pages.ts';
import { describeExport } from '../../../lib/exports/describe-export.ts';
import { exportIdOf } from '../../../lib/exports/export-id.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import type { ExportPorts, WakeUp } from '../../../lib/exports/ports.ts';
import { runStep } from '../../../lib/exports/run-step.ts';
import { startExport } from '../../../lib/exports/start-export.ts';
import { indexKey, manifestKey } from '../../../lib/exports/store-objects.ts';
import { partChain, settledParts } from '../../../lib/exports/store-part.ts';
import type { Clock } from '../../../lib/gate/ports.ts';
import type { ApiKey } from '../../../lib/key/api-key.ts';
import { createFolderStore } from './folder-store.ts';
import { asynchronous, MemoryGates, MemoryLedger } from './memory-ledger.ts';
import { type AskedPage, watchedPages } from './watched-pages.ts';

/** The time limit of the deployed worker: a step ends with it, and the next one goes on. */
const INVOCATION_MS = 300_000;
/** So often the wait is shown anew. */
const SHOW_EVERY_MS = 1_000;

export interface TriedExport {
  readonly connection: string;
  readonly list: string;
  readonly key: ApiKey;
  readonly settings: ConnectionSettings;
  /** Gets the files. */
  readonly folder: string;
  /** Ends the export; its finished parts stay. */
  readonly signal: AbortSignal;
  readonly onAsked: (asked: AskedPage) => void;
  /** After each step. */
  readonly onState: (state: ExportState) => void;
  /** While nothing may be asked. @param reason As the API sent it. */
  readonly onWait: (untilMs: number, reason: string | undefined) => void;
  readonly clock?: Clock;
}

/**
 * Runs an export to its end by the code of the deployed worker. The ledger is in memory, since one process is all that
 * writes it; the files are those of a deployed export.
 */
export async function tryExport(tried: TriedExport): Promise<ExportState> {
  const { connection, list, settings, signal, clock = systemClock } = tried;
  const ledger = new MemoryLedger();
  const gates = new MemoryGates();
  const messages: Delayed[] = [];
  const ports = portsOf(tried, { ledger, gates, messages, clock });
  const control = { ...ports, gates: asynchronous(gates) };
  const trigger = { kind: 'request', idempotencyKey: systemRandom.token() } as const;
  const wanted = { connection, list, exportId: exportIdOf(connection, list, trigger) };
  await startExport(ports, settings, wanted);
  const stop = () => {
    const request = { ...wanted, by: 'Ctrl-C', reason: 'Ended by hand.', parts: 'keep' } as const;
    return cancelExport(control, settings, request);
  };
  const stopped = new Promise<unknown>((resolve, reject) => {
    const onAbort = () => void stop().then(resolve, reject);
    // It may have come while the export was started.
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  stopped.catch(() => undefined);
  for (let next = messages.shift(); next !== undefined; next = messages.shift()) {
    await untilDue(tried, clock, next.dueAtMs, () => gates.read(connection).waitAsSent);
    if (signal.aborted) await stopped;
    const endsAtMs = clock.now() + INVOCATION_MS;
    const remainingMs = () => endsAtMs - clock.now();
    const invocation = { remainingMs, isAttended: true };
    const { answer, error } = await runStep(ports, settings, next.wakeUp, invocation);
    // As SQS brings it back: its lease has ended when the clock jumped, as after the sleep of a notebook.
    if (answer === 'retry' && error === undefined) {
      messages.push({ ...next, dueAtMs: clock.now() + SHOW_EVERY_MS });
    }
    const state = ledger.readExport(connection, wanted.exportId);
    if (state !== undefined) tried.onState(state);
  }
  if (signal.aborted) await stopped;
  const ended = ledger.readExport(connection, wanted.exportId);
  if (ended === undefined) throw new Error('The ledger has lost the export.');
  if (ended.status === 'completed') await describe(tried, ended);
  if (ended.status === 'cancelled') await removeUncounted(ports.store, ledger, ended);
  return ended;
}

interface Delayed {
  readonly wakeUp: WakeUp;
  readonly dueAtMs: number;
}

interface Memory {
  readonly ledger: MemoryLedger;
  readonly gates: MemoryGates;
  readonly messages: Delayed[];
  readonly clock: Clock;
}

function portsOf(tried: TriedExport, { ledger, gates, messages, clock }: Memory): ExportPorts {
  const { settings, key } = tried;
  const stored = { kind: 'key', key, keyVersion: 'given' } as const;
  const known = {
    keyStore: { read: async () => stored },
    apiSettingsOf: () => settings.api,
    listsOf: () => settings.lists,
  };
  return {
    clock,
    random: systemRandom,
    ledger: asynchronous(ledger),
    gates: asynchronous(gates),
    store: createFolderStore(tried.folder),
    queue: {
      send: async (wakeUp, dueAtMs = 0) => {
        messages.push({ wakeUp, dueAtMs });
      },
    },
    connections: watchedPages(createConnections(known, withPages), tried.onAsked, clock.now),
    events: { publish: async () => undefined },
    carried: new CarriedPages(),
  };
}

async function untilDue(
  { signal, onWait }: TriedExport,
  clock: Clock,
  dueAtMs: number,
  reason: () => string | undefined,
): Promise<void> {
  while (!signal.aborted && clock.now() < dueAtMs) {
    onWait(dueAtMs, reason());
    await clock.sleep(Math.min(SHOW_EVERY_MS, dueAtMs - clock.now()), signal);
  }
}

/** Ctrl-C comes in the middle of a step: a part that it stores afterwards is not committed, so no state has its pages. */
async function removeUncounted(
  store: ExportPorts['store'],
  ledger: MemoryLedger,
  state: ExportState,
): Promise<void> {
  const records = ledger.listParts(state.connection, state.exportId);
  const chain = partChain(state, records);
  if (typeof chain === 'number') return;
  const counted = settledParts(state, chain, records);
  const others = records.filter((each) => !counted.includes(each));
  await store.delete(others.flatMap(({ key }) => [key, indexKey(key)]));
}

/** Writes `schema.json` beside the manifest, as in a deployed stack. */
async function describe({ folder }: TriedExport, state: ExportState): Promise<void> {
  const store = createFolderStore(folder);
  const { connection, list, exportId } = state;
  const told = { connection, list, exportId, manifestKey: manifestKey(state) };
  const events = { publish: async () => undefined };
  const { readStored } = store;
  const ports = { store, readStored, bucket: '', events };
  await describeExport({ ...ports, isTimeUp: () => false }, told);
}
