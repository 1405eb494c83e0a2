import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { RequestLogEntry } from '../../../infra/simulator/request-log.ts';
import type { Simulator } from '../../../infra/simulator/simulator.ts';
import type { ApiRequests } from '../../../lib/customers-api/api-requests.ts';
import { isDeep, seedsOf, tried, trySeed } from '../../deep/depth.ts';
import { startSimulatedApi } from '../../lib/customers-api/simulated-api.ts';
import { type AskedWrite, askedWrite, expectedOf, requestText } from './asked-write.ts';
import { CONNECTION, createExactWorld, type ExactWorld, INTEGRATION } from './exact-world.ts';

const WRITES_A_SEED = 100;
const SEEDS = seedsOf({ short: 2, deep: 200 });
const TIMEOUT_MS = isDeep ? 600_000 : 60_000;

let simulator: Simulator;
let client: ApiRequests;
const counts = { arrived: 0, refused: 0 };

beforeAll(async () => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  // Whatever is written is refused: what arrived is in the log all the same.
  ({ simulator, requests: client } = await startSimulatedApi({ customers: 0 }));
});
afterAll(async () => {
  jest.restoreAllMocks();
  await simulator.close();
});

test(
  `a write with any JSON arrives with the same text or is refused by the name of a member, for ${SEEDS.length} seeds`,
  async () => {
    for (const seed of SEEDS) {
      const writes = fc.sample(askedWrite, { seed, numRuns: WRITES_A_SEED });
      await trySeed(seed, () => checkWrites(writes));
    }
    tried('writes that arrived with the same text', counts.arrived);
    tried('writes that were refused by the name of a member', counts.refused);
    const least = (SEEDS.length * WRITES_A_SEED) / 4;
    expect(Math.min(counts.arrived, counts.refused)).toBeGreaterThan(least);
  },
  TIMEOUT_MS,
);

async function checkWrites(asked: readonly AskedWrite[]): Promise<void> {
  simulator.resetLog();
  const world = createExactWorld(client);
  const places = new Map<string, string>();
  for (const [index, write] of asked.entries()) {
    const place = await ask(world, `w-${index}`, write);
    if (place !== undefined) places.set(`w-${index}`, place);
  }
  for (const [messageId, reason] of await world.drain()) {
    places.set(messageId, reason.replace(/^detail\./, '').replace(/: .*/s, ''));
  }
  for (const [index, write] of asked.entries()) {
    const writeId = `w-${index}`;
    const state = await world.stateOf(writeId);
    const entry = simulator.log.entries.find(
      ({ idempotencyKey }) => state !== undefined && idempotencyKey === state.idempotencyKey,
    );
    checkWrite(write, places.get(writeId), entry);
  }
  expect(simulator.log.entries.length).toBe(asked.length - places.size);
}

/** @returns The place that is wrong, where it is known at once. */
async function ask(
  world: ExactWorld,
  writeId: string,
  write: AskedWrite,
): Promise<string | undefined> {
  if (write.way === 'http') return world.ask(writeId, requestText(write, []));
  if (write.way === 'bytes') {
    const encoding = write.defect === 'latin-1' ? 'latin1' : 'utf8';
    return world.ask(writeId, Buffer.from(requestText(write, []), encoding));
  }
  const own = [`"v":1`, `"connection":"${CONNECTION}"`, `"writeId":"${writeId}"`];
  if (write.way === 'queue') {
    world.send(writeId, requestText(write, own));
    return undefined;
  }
  const detail = requestText(write, [...own, `"integration":"${INTEGRATION}"`]);
  const envelope =
    '"source":"customers-functions.requests","detail-type":"Customer Write Requested"';
  world.send(writeId, `{"version":"0","id":"event-${writeId}",${envelope},"detail":${detail}}`);
  return undefined;
}

function checkWrite(
  write: AskedWrite,
  place: string | undefined,
  entry: RequestLogEntry | undefined,
): void {
  const expected = expectedOf(write);
  const { url, body } = entry ?? {};
  // With the text that was sent, so that a failure shows it.
  const come = { sent: requestText(write, []), way: write.way, place, url, body };
  if (expected.kind === 'refused') {
    const isNamed = expected.places.some((each) =>
      each.endsWith('…') ? place?.startsWith(each.slice(0, -1)) : each === place,
    );
    const named = isNamed ? place : expected.places;
    expect(come).toEqual({ ...come, place: named, url: undefined, body: undefined });
    counts.refused += 1;
    return;
  }
  const target = `/2.0/${expected.segment}`;
  expect(come).toEqual({ ...come, place: undefined, url: target, body: expected.body });
  counts.arrived += 1;
}
