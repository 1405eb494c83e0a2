import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Surroundings } from './surroundings.ts';

/** All that comes on standard input. @throws AbortError at Ctrl-C, also while nothing comes. */
export function allOfStdin({ stdin, interrupt }: Surroundings): Promise<string> {
  return pipeline(stdin, (given) => text(given), { signal: interrupt.signal });
}
