import { expect, test } from '@jest/globals';
import { cancelled } from '../../../lib/exports/cancelled.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { leaveCancelled } from '../../../lib/exports/leave-cancelled.ts';
import { aboutBytes, partKey } from '../../../lib/exports/store-objects.ts';
import { Worker } from '../../faults/worker.ts';
import { CONNECTION, World } from '../../faults/world.ts';
import { stateOf } from './state-of.ts';

const ALL = { by: 'ada', reason: 'Wanted.', parts: 'remove', atMs: 0 } as const;

/** A worker that takes a message of an export with one part, which was cancelled. */
async function leave(leaseOf: (nowMs: number) => ExportState['lease']) {
  const world = new World();
  const worker = new Worker(world, 'w', 60_000);
  const lease = leaseOf(world.clock.now());
  const state = { ...cancelled(stateOf({ unannounced: [] }), ALL), ...(lease && { lease }) };
  world.ledger.writeExport(state, undefined);
  const body = Buffer.from('part');
  world.store.put(partKey(state, 1, 'token', 'gzip'), body, aboutBytes(body));
  let left: Awaited<ReturnType<typeof leaveCancelled>> | undefined;
  void leaveCancelled(world.portsOf(worker), world.rules, 'own', state).then((result) => {
    left = result;
  });
  await world.runUntil(() => left !== undefined, false);
  worker.end();
  const stored = world.ledger.readExport(CONNECTION, state.exportId);
  return { kind: left?.kind, stored, parts: world.store.objects.size };
}

test.each([
  ['its own lease', 'own', 1],
  ['the lease of one that is gone', 'other', 0],
])('leaves a cancelled export under %s, without its parts', async (_, owner, aheadMs) => {
  const left = await leave((nowMs) => ({ owner, untilMs: nowMs + aheadMs * 60_000 }));

  expect(left).toMatchObject({ kind: 'left', parts: 0, stored: { parts: { count: 0 } } });
  expect(left.stored?.lease).toBeUndefined();
});

test('touches nothing while another worker is at it', async () => {
  const left = await leave((nowMs) => ({ owner: 'other', untilMs: nowMs + 60_000 }));

  expect(left).toMatchObject({ kind: 'held', parts: 1, stored: { lease: { owner: 'other' } } });
});
