import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as v from 'valibot';
import type { ListChange, ListEdit } from './options.ts';
import { RESOURCE_NAMES, type ResourceName } from './resources.ts';
import type { Simulator } from './simulator.ts';

/** What the program that has started a simulator may ask of it while it runs. */
export type SimulatorOrder =
  | { readonly kind: 'edit'; readonly resource: ResourceName; readonly edit: ListEdit }
  /** `null`: lists stay as they are from now on. */
  | { readonly kind: 'change'; readonly change: ListChange | null };

const edit = { inserts: v.number(), deletes: v.number(), updates: v.exactOptional(v.number()) };

const OrderSchema = v.variant('kind', [
  v.object({
    kind: v.literal('edit'),
    resource: v.picklist(RESOURCE_NAMES),
    edit: v.object(edit),
  }),
  v.object({
    kind: v.literal('change'),
    change: v.nullable(v.object({ everyRequests: v.number(), ...edit })),
  }),
]);

/** Does what the parent of this process asks for, as far as there is one with a channel to it, and says when it is done. */
export function obeyParent(simulator: Simulator, key: string): void {
  if (process.send === undefined) return;
  process.on('message', (message) => {
    const order = v.parse(OrderSchema, message);
    if (order.kind === 'edit') simulator.edit(key, order.edit, order.resource);
    else simulator.setChange(order.change ?? undefined);
    process.send?.('done');
  });
}

/** Asks a simulator in a process of its own, one order after the other. Settles when it has done so, or has ended. */
export async function orderOf(simulator: ChildProcess, order: SimulatorOrder): Promise<void> {
  const done = Promise.race([once(simulator, 'message'), once(simulator, 'close')]);
  simulator.send(order);
  await done;
}
