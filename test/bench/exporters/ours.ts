// Our export: the steps that the worker does, with the queue's delays waited for. What AWS's own clients
// cost is told by the benchmarks of cold starts and of memory sizes.
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../../../lib/defined.ts';
import { exportSettingsOf } from '../../../lib/exports/export-settings.ts';
import { listSettingsOf } from '../../../lib/exports/list-settings.ts';
import { runStep } from '../../../lib/exports/run-step.ts';
import { startExport } from '../../../lib/exports/start-export.ts';
import { createMemoryPorts } from './memory-ports.ts';
import { readTask, tellUsage } from './task.ts';

const CONNECTION = 'bench';
/** The worker's timeout. */
const INVOCATION_MS = 300_000;

const task = readTask();
const { perPage, requestsPerSecond, walk, compression } = task;
const { ports, ledger, nextMessage, remember } = createMemoryPorts(task);
const rules = {
  export: exportSettingsOf(defined({ requestsPerSecond, compression })),
  lists: new Map([['customers', listSettingsOf('customers', defined({ perPage, walk }))]]),
};
const wanted = { connection: CONNECTION, list: 'customers', exportId: 'bench-export' };
await startExport(ports, rules, wanted);
for (let message = nextMessage(); message !== undefined; message = nextMessage()) {
  await sleep(Math.max(0, message.dueAtMs - Date.now()));
  const endsAtMs = Date.now() + INVOCATION_MS;
  const invocation = { remainingMs: () => endsAtMs - Date.now() };
  await runStep(ports, rules, message.wakeUp, invocation);
}
const ended = ledger.readExport(CONNECTION, wanted.exportId);
if (ended?.status !== 'completed') {
  throw new Error(`The export ended ${ended?.status}: ${ended?.reason?.message}`);
}
remember();
tellUsage();
