import { expect, test } from '@jest/globals';
import {
  asynchronous,
  MemoryGates,
  MemoryLedger,
} from '../../../infra/command/try/memory-ledger.ts';
import type { ControlPorts, WakeUp } from '../../../lib/exports/ports.ts';
import { resumeHalted } from '../../../lib/exports/resume-export.ts';
import { HALTED, stateOf } from './state-of.ts';

test('resumes with the new key while the worker that halted it still notes that the halt was told', async () => {
  const memory = new MemoryLedger();
  const ledger = asynchronous(memory);
  const sent: WakeUp[] = [];
  const halted = stateOf({ status: 'halted', unannounced: [HALTED] });
  await ledger.writeExport(halted, undefined);
  const gates = new MemoryGates();
  gates.haltKeyVersion(halted.connection, { keyVersion: 'v1' });
  let tokens = 0;
  const ports: ControlPorts = {
    ledger,
    gates: asynchronous(gates),
    clock: { now: () => halted.updatedAtMs, sleep: async () => {} },
    random: { fraction: () => 0, token: () => `resume-${++tokens}` },
    queue: { send: async (wakeUp) => void sent.push(wakeUp) },
    connections: {
      open: async () => {
        const noted = { ...halted, unannounced: [], writeToken: 'the worker' };
        await ledger.writeExport(noted, halted.writeToken);
        return { kind: 'open', keyVersion: 'v2', credential: 'v2/' };
      },
    },
    events: { publish: () => Promise.reject(new Error('EventBridge is out of order')) },
  };

  expect(await resumeHalted(ports, halted)).toMatchObject({ kind: 'resumed' });

  const stored = await ledger.readExport(halted.connection, halted.exportId);
  expect(stored).toMatchObject({ status: 'running', unannounced: [] });
  expect(sent).toEqual([expect.objectContaining({ exportId: halted.exportId })]);
});
