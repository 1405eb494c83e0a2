/** Half as much would be collected more often; more is no faster, and takes more memory. */
const SEMI_SPACE_MIB = 4;

/** Of the function's memory: the rest is left to buffers and to Node.js itself, as Lambda's runtime does. */
const OLD_SPACE_SHARE = 0.9;

/** The option of Node.js for the heap that Lambda gives a function. */
export function heapOption(memorySizeMiB: number): string {
  return `--max-old-space-size=${Math.floor(memorySizeMiB * OLD_SPACE_SHARE)}`;
}

/**
 * Environment variables that keep the memory of a function flat which works on long lists, with the same speed.
 *
 * - V8's young generation would grow with the length of the list; with 4 MiB the pages under way seldom outlive it.
 * - The bootstrap of Lambda's Node.js 24 runtime sets the limit of the heap by the function's memory, but only where
 *   `NODE_OPTIONS` names neither size: so both are set here. With one alone V8 would take half of the memory as limit.
 * - The threads for compression and TLS reuse each other's freed memory only if they share one arena of the C library
 *   (`npm run bench -- step-memory` and `worker-memory`).
 */
export function memoryEnvironment(memorySizeMiB: number) {
  return {
    NODE_OPTIONS: `--max-semi-space-size=${SEMI_SPACE_MIB} ${heapOption(memorySizeMiB)}`,
    MALLOC_ARENA_MAX: '1',
  } as const;
}
