import { expect, test } from '@jest/globals';
import { MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { type GateOpenedEvent, openGate } from '../../../lib/gate/open-gate.ts';
import { schemaOf } from '../../faults/check-event.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

/** @param aheadMs How far our clock is ahead until the ledger has answered. */
function worldWith(failures = 0, aheadMs = 0) {
  const gates = new MemoryGates();
  const events: GateOpenedEvent[] = [];
  let left = failures;
  let tokens = 0;
  let nowMs = NOW_MS + aheadMs;
  const ports = {
    clock: { now: () => nowMs },
    random: { token: () => `t${tokens++}` },
    gates: {
      open: async (...args: Parameters<MemoryGates['open']>) => {
        nowMs = NOW_MS;
        return gates.open(...args);
      },
    },
    events: {
      publish: async (event: GateOpenedEvent) => {
        if (left-- > 0) throw new Error('The bus is down.');
        events.push(event);
      },
    },
  };
  const request = { connection: 'demo', by: 'ada', reason: 'A mistake of the API.' };
  return { gates, events, open: (more = {}) => openGate(ports, { ...request, ...more }) };
}

test('ends the wait, keeps the rejected keys, and publishes who opened the gate', async () => {
  const { gates, events, open } = worldWith();
  gates.haltKeyVersion('demo', { keyVersion: 'v1' });
  gates.blockUntil('demo', NOW_MS + 9e12, 'Retry-After: 9000000000');

  const { kind, gate } = await open();

  expect(kind).toBe('opened');
  expect(gate).toMatchObject({ blockedUntilMs: 0, haltedKeyVersions: ['v1'] });
  expect(events).toEqual([
    {
      id: 'demo/gate-opened/t0',
      kind: 'gate-opened',
      atMs: NOW_MS,
      connection: 'demo',
      by: 'ada',
      reason: 'A mistake of the API.',
      untilMs: NOW_MS + 9e12,
      waitAsSent: 'Retry-After: 9000000000',
    },
  ]);
  const isValid = schemaOf('gate-opened');
  const detail = { v: 1, integration: 'Team', ...events[0] };
  expect(isValid(detail)).toBe(true);
  for (const name of Object(isValid.schema).required) {
    const { [name as keyof typeof detail]: _left, ...rest } = detail;
    expect([name, isValid(rest)]).toEqual([name, false]);
  }
});

test.each([3_600_000, -3_600_000])(
  'is opened at the time that the ledger shows, %i ms behind our clock',
  async (aheadMs) => {
    const { gates, open } = worldWith(0, aheadMs);
    gates.blockUntil('demo', NOW_MS + 1_000);

    const { kind, gate } = await open();

    expect(kind).toBe('opened');
    expect(gate.opening).toMatchObject({ atMs: NOW_MS });
  },
);

test('publishes again when the same request is repeated, as after an outage of the bus', async () => {
  const { gates, events, open } = worldWith(1);
  gates.blockUntil('demo', NOW_MS + 1e9);

  expect(await open()).toMatchObject({
    kind: 'opened',
    untold: { error: { message: 'The bus is down.' } },
  });
  expect((await open()).kind).toBe('open');
  expect((await open({ by: 'bob' })).kind).toBe('open');

  expect(events.map(({ id, by }) => [id, by])).toEqual([['demo/gate-opened/t0', 'ada']]);
});

test('does nothing while no wait is in force', async () => {
  const { gates, events, open } = worldWith();
  gates.blockUntil('demo', NOW_MS);
  expect((await open()).kind).toBe('open');
  expect(gates.read('demo').opening).toBeUndefined();
  expect(events).toEqual([]);
});
