/** More processes than most runs have, and no divisor of what comes in turns. */
const PROCESSES = 37;
const DAY_MS = 24 * 3_600_000;
const WITHIN_MS = [2_000, 30_000, 300_000, 3_600_000, 3 * DAY_MS, 60 * DAY_MS];

/** How far the clocks of processes are ahead: half of them are right, the others within some seconds to two months. */
export function randomClocks(random: () => number): readonly number[] {
  const withinMs = WITHIN_MS[Math.floor(random() * WITHIN_MS.length)] ?? 0;
  return Array.from({ length: PROCESSES }, () =>
    random() < 0.5 ? 0 : Math.round((random() * 2 - 1) * withinMs),
  );
}
