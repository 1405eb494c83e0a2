import { expect, test } from '@jest/globals';
import { checkCopy, checkOver, checkRequests } from './checks.ts';
import type { Fault } from './fault-plan.ts';
import { EXPORT_ID, runExport } from './run-export.ts';

const SEVERAL_PARTS = {
  customers: 3_000,
  settings: { partMaxPages: 50, pagesInFlight: 4 },
  // Fast enough that some pages come while a part is stored.
  latencyMs: 2,
};

/** Runs an export of 301 pages in six parts and a rest. */
async function runWith(
  faultOf: (name: string, callsBefore: readonly string[]) => Fault | undefined,
) {
  const calls: string[] = [];
  const faults = (_: number, name: string) => {
    const fault = faultOf(name, calls);
    calls.push(name);
    return fault;
  };
  const world = await runExport({ ...SEVERAL_PARTS, faults });
  checkOver(world, EXPORT_ID);
  checkCopy(world, EXPORT_ID);
  checkRequests(world);
  return calls;
}

test('fetches the next pages while a part is being stored and committed', async () => {
  const calls = await runWith(() => undefined);

  const storing = calls.indexOf('put');
  const committed = calls.indexOf('writeExport', storing);
  expect(calls.slice(storing, committed)).toContain('listPage');
});

test('commits one part after the other, in their order', async () => {
  const calls = await runWith(() => undefined);

  const steps = calls.filter((name) => ['put', 'putPart', 'writeExport'].includes(name));
  const ofParts = steps.slice(steps.indexOf('put'), steps.indexOf('put') + 18);
  expect(ofParts).toEqual(
    Array.from({ length: 6 }, () => ['put', 'putPart', 'writeExport']).flat(),
  );
});

test.each([
  ['put', 'throw-before'],
  ['putPart', 'throw-after'],
  ['writeExport', 'throw-before'],
] as const)(
  'asks for few pages more once a part could not be committed: %s',
  async (failing, fault) => {
    let failedAt: number | undefined;
    const calls = await runWith((name, before) => {
      if (failedAt !== undefined || name !== failing || (!before.includes('put') && name !== 'put'))
        return undefined;
      failedAt = before.length;
      return fault;
    });

    const nextWorker = calls.indexOf('readExport', failedAt);
    const asked = calls.slice(failedAt, nextWorker).filter((name) => name === 'listPage');
    // A call takes up to 11 ms; four pages of 2 ms each are under way meanwhile.
    expect(asked.length).toBeLessThan(40);
    expect(calls.filter((name) => name === 'put').length).toBeGreaterThan(6);
  },
);
