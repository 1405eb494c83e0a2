import { expect, test } from '@jest/globals';
import { COMPARED_WITHIN_SECONDS, untilThere } from '../../../../infra/local/start/until-there.ts';

test('waits until something is there', async () => {
  let waitedMs = 0;
  const wait = async (ms: number) => {
    waitedMs += ms;
  };

  expect(await untilThere(async () => waitedMs >= 1_000, wait)).toBe(true);
  expect(waitedMs).toBe(1_000);
});

test('says that something does not come, after a minute', async () => {
  let waitedMs = 0;
  const wait = async (ms: number) => {
    waitedMs += ms;
  };

  expect(await untilThere(async () => false, wait)).toBe(false);
  expect([waitedMs, COMPARED_WITHIN_SECONDS]).toEqual([60_000, 60]);
});
