import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from '@jest/globals';
import { COUNTS_VARIABLE, DEPTH_VARIABLE, SEED_VARIABLE } from './variables.ts';

/** Whether the tests try much, as `npm run test:deep` asks for (test/deep/main.ts), or little, as `npm test`. */
export const isDeep = process.env[DEPTH_VARIABLE] === 'deep';

/** For a test of many seeds or calls: far more than it takes. */
export const DEPTH_TIMEOUT_MS = isDeep ? 1_800_000 : 120_000;

interface Depth {
  readonly short: number;
  readonly deep: number;
}

export function amountOf({ short, deep }: Depth): number {
  return isDeep ? deep : short;
}

/** So many from 0 on, or the one that `--seed` names. */
export function seedsOf(depth: Depth): readonly number[] {
  return seedsAmong(Array.from({ length: amountOf(depth) }, (_, seed) => seed));
}

/** These, or the one that `--seed` names. */
export function seedsAmong(seeds: readonly number[]): readonly number[] {
  const asked = process.env[SEED_VARIABLE];
  return asked === undefined ? seeds : [Number(asked)];
}

/** What all seeds together have to meet as often as this; one alone need not. What nothing meets, nothing proves. */
export function expectMet(met: Readonly<Record<string, number>>, depth: Depth): void {
  if (process.env[SEED_VARIABLE] !== undefined) return;
  for (const [what, count] of Object.entries(met)) {
    expect(`${what} ${count >= amountOf(depth) ? 'often' : count}`).toBe(`${what} often`);
  }
}

/** Tries one seed; its failure says how it is tried again. */
export async function trySeed<T>(seed: number, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (cause) {
    const { testPath = '', currentTestName = '' } = expect.getState();
    const file = relative(process.cwd(), testPath);
    // Up to what another depth may say differently, and without what has a meaning to shell or pattern.
    const name = currentTestName.replace(/,? for \d+ seeds$/, '').replace(/["$`\\()[\]]/g, '.');
    const again = `npm run test:deep -- --seed ${seed} ${file} -t "${name}"`;
    throw new Error(`seed ${seed}, again by: ${again}`, { cause });
  }
}

/** Adds to what `npm run test:deep` says that it has tried. */
export function tried(what: string, count: number): void {
  const file = process.env[COUNTS_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify([what, count])}\n`);
}
