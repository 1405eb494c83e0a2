import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LONGEST_CALL_MS, recordHalt, recordWait } from '../../../lib/gate/record-in-gate.ts';

/** Tells a gate that is out of order for the first `failures` calls, in time that only waits move. */
async function told(failures: number, untilMs: number, fraction: number) {
  const waits: number[] = [];
  let nowMs = 0;
  let calls = 0;
  const error = new Error('down');
  const outcome = await recordHalt(
    {
      clock: {
        now: () => nowMs,
        sleep: async (ms) => {
          waits.push(ms);
          nowMs += ms;
        },
      },
      random: { fraction: () => fraction },
      gates: {
        blockUntil: async () => true,
        haltKeyVersion: async () => {
          if (calls++ < failures) throw error;
        },
      },
    },
    'acme',
    { keyVersion: 'v1' },
    untilMs,
  ).then(
    () => 'told',
    (thrown: unknown) => thrown === error,
  );
  return { outcome, calls, waits, nowMs };
}

test('calls once when the gate answers', async () => {
  expect(await told(0, 0, 0.5)).toMatchObject({ outcome: 'told', calls: 1, waits: [] });
});

test('waits longer each time, up to five seconds', async () => {
  const { waits } = await told(7, 60_000, 0.999_999);
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
});

test('throws what the gate threw, at once when there is no time', async () => {
  expect(await told(1, 0, 0.5)).toMatchObject({ outcome: true, calls: 1, waits: [] });
});

test('leaves time for a call that hangs, and not much more, whatever chance says', async () => {
  const fraction = fc.double({ min: 0, max: 0.999_999, noNaN: true });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 900_000 }), fraction, async (untilMs, random) => {
      const { outcome, nowMs } = await told(Number.POSITIVE_INFINITY, untilMs, random);
      expect(outcome).toBe(true);
      const lastAtMs = Math.max(0, untilMs - LONGEST_CALL_MS);
      expect(nowMs).toBeLessThanOrEqual(lastAtMs);
      expect(lastAtMs - nowMs).toBeLessThanOrEqual(5_000);
    }),
  );
});

/** Tells a gate that is out of order for the first `failures` calls of a wait until `untilMs`. */
async function toldToWait(failures: number, untilMs: number) {
  let nowMs = 0;
  let calls = 0;
  const ports = {
    clock: {
      now: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
      },
    },
    random: { fraction: () => 0.5 },
    gates: {
      blockUntil: async () => {
        if (calls++ < failures) throw new Error('down');
        return true;
      },
      haltKeyVersion: async () => undefined,
    },
  };
  const outcome = await recordWait(ports, 'acme', { untilMs }, 900_000).then(
    () => 'told',
    ({ message }: Error) => message,
  );
  return { outcome, nowMs };
}

test('records a wait no longer than the wait lasts', async () => {
  const { outcome, nowMs } = await toldToWait(Number.POSITIVE_INFINITY, 60_000);

  expect(outcome).toBe('down');
  expect(nowMs).toBeGreaterThan(60_000 - 5_000);
  expect(nowMs).toBeLessThan(60_000);
});

test.each([1_000, 5_000, 16_000])(
  'records a wait of %i ms too when the gate did not answer at first',
  async (untilMs) => {
    expect(await toldToWait(1, untilMs)).toMatchObject({ outcome: 'told' });
  },
);
