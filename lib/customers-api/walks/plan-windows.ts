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
  readonly windows: readonly Window[];
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
  let paths: readonly Path[] = [{ end: covered, windows: [] }];
  for (let step = 0; step < WINDOWS_A_PLAN; step++) {
    const longer = bestOf(paths.flatMap((path) => extensionsOf(path, largest, overlap)));
    if (longer.length === 0) break;
    paths = longer;
  }
  return paths[0]?.windows ?? [];
}

function extensionsOf({ end, windows }: Path, largest: number, overlap: number): Path[] {
  const latestStart = Math.max(0, end - overlap);
  const longer: Path[] = [];
  for (let size = largest; size > largest / 2 && size > overlap; size--) {
    const start = Math.floor(latestStart / size) * size;
    if (start + size > end) {
      longer.push({ end: start + size, windows: [...windows, { start, size }] });
    }
  }
  return longer;
}

/** Those that reach furthest, one for each end. */
function bestOf(paths: readonly Path[]): readonly Path[] {
  const byEnd = new Map<number, Path>();
  for (const path of paths) if (!byEnd.has(path.end)) byEnd.set(path.end, path);
  return [...byEnd.values()].sort((a, b) => b.end - a.end).slice(0, BEST_ENDS);
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
