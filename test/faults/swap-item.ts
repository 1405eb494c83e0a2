import type { Swapped } from '../../lib/steps/step-kind.ts';

/** One conditional write in memory, as the ledger does it. What is stored is a copy. */
export function swapItem<T extends { readonly writeToken: string }>(
  items: Map<string, T>,
  name: string,
  next: T,
  expectedToken: string | undefined,
): Swapped<T> {
  const current = items.get(name);
  if (current?.writeToken !== expectedToken && current?.writeToken !== next.writeToken) {
    return { kind: 'conflict', current };
  }
  items.set(name, structuredClone(next));
  return { kind: 'written' };
}
