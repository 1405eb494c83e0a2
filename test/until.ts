import { setTimeout as wait } from 'node:timers/promises';

export interface UntilOptions {
  /**
   * What is looked at, as JSON shows it: for the message, and while it changes there is still hope. @default - nothing
   */
  readonly seen?: () => unknown;
  /**
   * Give up after this time, in which `seen` has not changed. Below the limit of the test, which would not say what
   * was missing. @default 45,000
   */
  readonly withinMs?: number;
  /** @default 10 */
  readonly everyMs?: number;
}

/** Looks again and again until there is something other than `undefined` and `false`. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { seen = () => undefined, withinMs = 45_000, everyMs = 10 }: UntilOptions = {},
): Promise<Exclude<T, undefined | false>> {
  const isFound = (found: T): found is Exclude<T, undefined | false> =>
    found !== undefined && found !== false;
  let last = JSON.stringify(seen());
  for (let endMs = Date.now() + withinMs; ; ) {
    const found = await look();
    if (isFound(found)) return found;
    const now = JSON.stringify(seen());
    if (now !== last) endMs = Date.now() + withinMs;
    last = now;
    if (Date.now() >= endMs) {
      const shown = now === undefined ? '' : `; seen at last, without a change since: ${now}`;
      throw new Error(`Waited ${withinMs / 1000} s in vain for ${what}${shown}`);
    }
    await wait(everyMs);
  }
}
