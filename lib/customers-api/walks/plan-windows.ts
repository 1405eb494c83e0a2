/** Rows `start` to `start + size - 1` of a list: page `start / size`, counted from 0. */
export interface Window {
  readonly start: number;
  readonly size: number;
}

/** What one plan covers: a longer look ahead gains nothing. */
const WINDOWS_A_PLAN = 6;
/** Ends of windows that are looked at further, of those that as many windows can reach. */
const BEST_ENDS = 24;

interface Path {
  readonly end: number;
  readonly before?: Path;
  readonly window?: Window;
}

/**
 * Plans windows, each of which begins at least `overlap` rows before the end of the one before. `per_page` can be
 * anything up to `largest`, but a window of s rows begins at a multiple of s only. So for each size there is one that
 * is best, and some end much further than others: the best way is looked for over several windows.
 *
 * @param covered Rows that are read, from the first on.
 * @param largest Rows of the largest page.
 * @returns At least one, unless no size gives ground.
 */
export function planWindows(covered: number, largest: number, overlap: number): readonly Window[] {
  // Windows of small pages may all end at the same row: then fewer shared rows may still get on.
  for (let least = overlap; least > 0; least--) {
    const windows = planWith(covered, largest, least);
    if (windows.length > 0) return windows;
  }
  return [];
}

function planWith(covered: number, largest: number, overlap: number): readonly Window[] {
  let paths: readonly Path[] = [{ end: covered }];
  for (let step = 0; step < WINDOWS_A_PLAN; step++) {
    const longer = longerOf(paths, largest, overlap);
    if (longer.length === 0) break;
    paths = longer;
  }
  return windowsOf(paths[0]);
}

/** Those that reach furthest with one window more, one for each end. */
function longerOf(paths: readonly Path[], largest: number, overlap: number): readonly Path[] {
  const byEnd = new Map<number, Path>();
  for (const before of paths) {
    const latestStart = Math.max(0, before.end - overlap);
    for (let size = largest; size > largest / 2 && size > overlap; size--) {
      const start = latestStart - (latestStart % size);
      const end = start + size;
      if (end > before.end && !byEnd.has(end)) {
        byEnd.set(end, { end, before, window: { start, size } });
      }
    }
  }
  return [...byEnd.values()].sort((a, b) => b.end - a.end).slice(0, BEST_ENDS);
}

function windowsOf(last: Path | undefined): readonly Window[] {
  const windows: Window[] = [];
  for (let path = last; path?.window !== undefined; path = path.before) windows.push(path.window);
  return windows.reverse();
}

/** The window that holds the row at `start` closest to its beginning, to link up with what ends there. */
export function windowFrom(start: number, largest: number): Window {
  let best = { start: 0, size: largest };
  for (let size = largest; size > largest / 2; size--) {
    const from = Math.floor(start / size) * size;
    if (from > best.start) best = { start: from, size };
  }
  return best;
}
