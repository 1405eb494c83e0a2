const LOOK_EVERY_MS = 100;

/** Everything else is over by then, and the comparison of a million records takes less. */
export const COMPARED_WITHIN_SECONDS = 60;

/** Looks until something is there, or so long that it will not come. */
export async function untilThere(
  isThere: () => Promise<boolean>,
  wait: (ms: number) => Promise<unknown>,
): Promise<boolean> {
  for (let ms = 0; ms < COMPARED_WITHIN_SECONDS * 1000; ms += LOOK_EVERY_MS) {
    if (await isThere()) return true;
    await wait(LOOK_EVERY_MS);
  }
  return false;
}
