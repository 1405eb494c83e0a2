import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startLedger } from '../dynalite-ledger.ts';

let database: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  database = await startLedger();
});
afterAll(() => database.close());

const at = (earliestAtMs: number) => ({ earliestAtMs, latestAtMs: earliestAtMs + 60_000 });

test('hands every slot out once, however many ask at once', async () => {
  const { reserve } = database.gates;
  const request = { count: 3, requestsPerSecond: 10, ...at(1_000) };

  const all = await Promise.all(Array.from({ length: 8 }, () => reserve('busy', request)));

  const slots = all.flatMap(({ granted, firstAtMs, intervalMs }) =>
    Array.from({ length: granted }, (_, index) => firstAtMs + index * intervalMs),
  );
  expect(slots.sort((a, b) => a - b)).toEqual(
    Array.from({ length: 24 }, (_, index) => 1_000 + index * 100),
  );
});

test('keeps the gate as it is, and connections apart', async () => {
  const { reserve } = database.gates;
  await database.gates.blockUntil('gated', 5_000);

  await reserve('gated', { count: 1, requestsPerSecond: 1, ...at(9_000) });

  expect(await database.gates.read('gated')).toMatchObject({ blockedUntilMs: 5_000 });
  expect(await reserve('free', { count: 1, requestsPerSecond: 1, ...at(0) })).toMatchObject({
    granted: 1,
    firstAtMs: 0,
  });
});

test('reserves nothing for who cannot wait', async () => {
  const { reserve } = database.gates;
  await reserve('full', { count: 1, requestsPerSecond: 0.01, ...at(0) });
  const none = await reserve('full', { count: 1, requestsPerSecond: 1, ...at(1_000) });

  expect(none).toMatchObject({ granted: 0, nextSlotAtMs: 100_000 });
  expect(await reserve('full', { count: 1, requestsPerSecond: 1, ...at(100_000) })).toMatchObject({
    granted: 1,
    firstAtMs: 100_000,
  });
});
