import { expect, test } from '@jest/globals';
import {
  asynchronous,
  MemoryGates,
  MemoryLedger,
} from '../../../infra/command/try/memory-ledger.ts';
import { halt, noKeyReason } from '../../../lib/exports/export-transitions.ts';
import type { ControlPorts, WakeUp } from '../../../lib/exports/ports.ts';
import { resumeHalted } from '../../../lib/exports/resume-export.ts';
import type { NoKey, OpenKey } from '../../../lib/gate/ports.ts';
import { HALTED, STEP_AT_MS, stateOf } from './state-of.ts';

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

const MALFORMED: NoKey = {
  ...{ kind: 'no-key', reason: 'malformed', keyVersion: 'v2', message: 'v2 is no JSON.' },
};
const REJECTED = { status: 401, apiCode: 'bad-key' } as const;

test.each<[string, ReturnType<typeof foundNow>, string, string, number]>([
  ['a malformed one', MALFORMED, 'key-malformed', 'v2 is no JSON. ', 1],
  ['the rejected one', foundNow('v1'), 'authentication-failure', 'version v1 (status 401).', 0],
  ['another rejected one', foundNow('v2'), 'authentication-failure', 'version v2.', 1],
])(
  'with %s a halted export says what is wrong with the key of now, without a second event',
  async (_, found, code, message, writes) => {
    const ledger = asynchronous(new MemoryLedger());
    const reason = noKeyReason('acme', { kind: 'rejected', keyVersion: 'v1' }, REJECTED);
    const halted = halt(stateOf(), reason, STEP_AT_MS);
    await ledger.writeExport(halted, undefined);
    const gates = new MemoryGates();
    for (const keyVersion of ['v1', 'v2']) gates.haltKeyVersion('acme', { keyVersion });
    let tokens = 0;
    const ports: ControlPorts = {
      ledger,
      gates: asynchronous(gates),
      clock: { now: () => STEP_AT_MS + 60_000, sleep: async () => {} },
      random: { fraction: () => 0, token: () => `resume-${++tokens}` },
      queue: { send: () => Promise.reject(new Error('Nothing goes on.')) },
      connections: { open: async () => found },
      events: { publish: () => Promise.reject(new Error('EventBridge is out of order')) },
    };

    const first = await resumeHalted(ports, halted);
    const second = await resumeHalted(ports, first.state);

    expect([first.kind, second.kind]).toEqual(['still-halted', 'still-halted']);
    expect(tokens).toBe(writes);
    const stored = await ledger.readExport('acme', halted.exportId);
    expect(stored).toEqual(second.state);
    expect(stored?.reason).toMatchObject({ code, message: expect.stringContaining(message) });
    const { writeToken: _token, reason: _reason, ...same } = halted;
    expect(stored).toMatchObject(same);
  },
);

function foundNow(keyVersion: string): OpenKey | NoKey {
  return { kind: 'open', keyVersion, credential: `${keyVersion}/` };
}
