import { expect } from '@jest/globals';
import type { RequestedWrite } from '../../../lib/writes/write-request.ts';
import { sweepAtMs } from '../../../lib/writes/write-steps.ts';
import type { ApiRequest } from './model-write-api.ts';
import { CONNECTION, type WriteWorld } from './write-world.ts';

/**
 * A request that leaves just after the gate was closed did not know: the answer of a look at the gate takes
 * 5 ms and a look at the key 11 at most.
 */
const LOOK_MS = 16;

/** What must hold of every write, however the run went. */
export function checkWrites(world: WriteWorld, asked: readonly RequestedWrite[]): void {
  for (const { writeId } of asked) {
    const state = world.stateOf(writeId);
    const effects = world.api.effects.filter((effect) => effect.writeId === writeId);
    const seen = `${writeId} is ${state?.status} with ${effects.length} effects`;
    expect(['done', 'refused', 'unclear']).toContain(state?.status);
    if (state?.status === 'done') expect(seen).toBe(`${writeId} is done with 1 effects`);
    if (state?.status === 'refused') expect(seen).toBe(`${writeId} is refused with 0 effects`);
    expect(effects.length).toBeLessThanOrEqual(1);
    expect(state).toMatchObject({ closed: true, unannounced: false });
    expect(state?.lease).toBeUndefined();
    expect(state === undefined ? 0 : sweepAtMs(state)).toBeUndefined();
    checkRepeats(world, writeId);
    checkEvents(world, writeId);
  }
}

/**
 * A request that may have had an effect is followed by another only with the same `Idempotency-Key` under the same API key, or
 * after a check.
 */
function checkRepeats(world: WriteWorld, writeId: string): void {
  const requests = world.api.requests.filter((request) => request.writeId === writeId);
  const writes = requests.filter(({ kind }) => kind === 'write');
  const keys = new Set(writes.flatMap(({ idempotencyKey }) => idempotencyKey ?? []));
  expect(keys.size).toBeLessThanOrEqual(1);
  writes.slice(1).forEach((request, index) => {
    const before = writes[index];
    if (before === undefined) return;
    expect(`${writeId} ${mayRepeat(world, requests, before, request)}`).toBe(`${writeId} allowed`);
  });
}

function mayRepeat(
  world: WriteWorld,
  requests: readonly ApiRequest[],
  before: ApiRequest,
  request: ApiRequest,
): string {
  if (/^(throttled|authentication-failure)/.test(before.outcome)) return 'allowed';
  const isKept = request.idempotencyKey !== undefined && request.keyVersion === before.keyVersion;
  if (isKept && request.idempotencyKey === before.idempotencyKey) return 'allowed';
  const checks = requests.filter(
    ({ kind, n }) => kind !== 'write' && n > before.n && n < request.n,
  );
  if (checks.length > 0) return 'allowed';
  const state = world.stateOf(request.writeId);
  const isAllowed = state?.settlements.some(
    ({ atMs, decision }) => decision === 'retry' && atMs >= before.atMs && atMs <= request.atMs,
  );
  return isAllowed ? 'allowed' : `repeated request ${before.n} (${before.outcome}) as ${request.n}`;
}

function checkEvents(world: WriteWorld, writeId: string): void {
  const state = world.stateOf(writeId);
  const told = world.events.filter((event) => event.writeId === writeId);
  expect(told.map(({ kind }) => kind)).toContain(state?.status);
  const ids = new Set(told.filter(({ kind }) => kind === state?.status).map(({ id }) => id));
  const parked = state?.settlements.length ?? 0;
  expect(ids.size).toBeLessThanOrEqual(state?.status === 'unclear' ? parked + 1 : 1);
}

/** No request before a wait that the gate knew of was over, and none with a key that it knew as rejected. */
export function checkTimes(world: WriteWorld): void {
  const wrong = world.api.requests.flatMap((request) => {
    const knew = request.atMs - (world.travelMs.get(request.atMs) ?? 0) - LOOK_MS;
    const early = world.blocks.filter(({ atMs, untilMs }) => atMs < knew && request.atMs < untilMs);
    const rejected = world.halts.filter(
      ({ atMs, keyVersion }) => atMs < knew && keyVersion === request.keyVersion,
    );
    if (early.length + rejected.length === 0) return [];
    const { n, atMs } = request;
    return [`request ${n} at ${atMs}: ${early.length} early, ${rejected.length} rejected`];
  });
  expect(wrong).toEqual([]);
}

/** The effects of an orderKey come in the order in which its writes were asked for. */
export function checkOrder(world: WriteWorld, asked: readonly RequestedWrite[]): void {
  const keys = new Set(asked.flatMap(({ orderKey }) => orderKey ?? []));
  for (const orderKey of keys) {
    const wanted = asked.filter((each) => each.orderKey === orderKey).map(({ writeId }) => writeId);
    const took = world.api.effects.map(({ writeId }) => writeId);
    const effects = took.filter((writeId) => wanted.includes(writeId));
    expect(effects).toEqual(wanted.filter((writeId) => effects.includes(writeId)));
    // One that a frozen worker put back is out of the way as soon as another one looks.
    const left = world.ledger.readLine(CONNECTION, orderKey)?.writeIds ?? [];
    expect(left.filter((writeId) => world.stateOf(writeId)?.closed !== true)).toEqual([]);
  }
}
