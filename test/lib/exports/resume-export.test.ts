import { expect, test } from '@jest/globals';
import type { ControlPorts, Ledger, WakeUp } from '../../../lib/exports/ports.ts';
import { resumeHalted } from '../../../lib/exports/resume-export.ts';
import { MemoryLedger } from '../../faults/memory-ledger.ts';
import { stateOf } from './state-of.ts';

test('resumes with the new key while the worker that halted it still notes that the halt was told', async () => {
  const memory = new MemoryLedger();
  const ledger = ledgerOver(memory);
  const sent: WakeUp[] = [];
  const halted = stateOf({ status: 'halted', haltedKeyVersion: 'v1', unannounced: ['halted'] });
  await ledger.writeExport(halted, undefined);
  let tokens = 0;
  const ports: ControlPorts = {
    ledger,
    gates: {
      read: async () => ({ blockedUntilMs: 0, haltedKeyVersions: ['v1'] }),
      blockUntil: async () => true,
      storePace: async () => undefined,
      haltKeyVersion: async () => {},
    },
    clock: { now: () => halted.updatedAtMs, sleep: async () => {} },
    random: { fraction: () => 0, token: () => `resume-${++tokens}` },
    queue: { send: async (wakeUp) => void sent.push(wakeUp) },
    connections: {
      open: async () => ({ kind: 'open', keyVersion: 'v2', listPage: () => Promise.reject() }),
    },
    events: {
      publish: async () => {
        const noted = { ...halted, unannounced: [], writeToken: 'the worker' };
        await ledger.writeExport(noted, halted.writeToken);
      },
    },
  };

  expect(await resumeHalted(ports, halted)).toMatchObject({ kind: 'resumed' });

  const stored = await ledger.readExport(halted.connection, halted.exportId);
  expect(stored?.status).toBe('running');
  expect(sent).toEqual([expect.objectContaining({ exportId: halted.exportId })]);
});

function ledgerOver(memory: MemoryLedger): Ledger {
  return {
    readExport: async (...key) => memory.readExport(...key),
    writeExport: async (...write) => memory.writeExport(...write),
    listExports: async (...page) => memory.listExports(...page),
    putPart: async (record) => memory.putPart(record),
    listParts: async (...key) => memory.listParts(...key),
    readActive: async (connection) => memory.readActive(connection),
    putActiveIfAbsent: async (active) => memory.putActiveIfAbsent(active),
    clearActive: async (...key) => memory.clearActive(...key),
    listActive: async () => memory.listActive(),
  };
}
