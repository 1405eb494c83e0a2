/** Rows `start` to `start + size - 1` of a list: page `start / size`, counted from 0. */
export interface Window {
  readonly start: number;
  readonly size: number;
}

/**
 * Rows that neighbouring windows are planned to share, at least. Wider ones cost requests everywhere, a gap only where
 * it is: with two, 10,000 rows take 115 windows of at most 100, with three 117. With one, an edit of the only shared
 * row is a gap.
 */
export function overlapOf(largest: number): number {
  return largest >= 8 ? 2 : 1;
}

/**
 * The window that ends furthest and shares rows with what is read. `per_page` can be
 * anything up to `largest`, but a window of s rows begins at a multiple of s only. No other choice takes fewer windows:
 * each that can follow an earlier end can follow a later one too.
 *
 * @param covered Rows that are read, from the first on.
 * @param largest Rows of the largest page.
 * @returns `undefined` if no size gives ground.
 */
export function nextWindow(covered: number, largest: number): Window | undefined {
  // Windows of small pages may all end at the same row: then fewer shared rows may still get on.
  for (let least = overlapOf(largest); least > 0; least--) {
    let best: Window | undefined;
    let furthest = covered;
    for (let size = largest; size > largest / 2 && size > least; size--) {
      const start = startOf(Math.max(0, covered - least), size);
      if (start + size <= furthest) continue;
      best = { start, size };
      furthest = start + size;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

/** The window that holds the row at `start` closest to its beginning, to link up with what ends there. */
export function windowFrom(start: number, largest: number): Window {
  let best = { start: 0, size: largest };
  for (let size = largest; size > largest / 2; size--) {
    const from = startOf(start, size);
    if (from > best.start) best = { start: from, size };
  }
  return best;
}

/** The window that holds most rows on both sides of a place, to link up with what ends and with what begins there. */
export function windowAround(row: number, largest: number): Window {
  let best = { start: 0, size: largest };
  let most = -1;
  for (let size = largest; size > largest / 2; size--) {
    const start = startOf(row, size);
    const rows = Math.min(row - start, start + size - row);
    if (rows <= most) continue;
    best = { start, size };
    most = rows;
  }
  return best;
}

export function windowHolding(row: number, size: number): Window {
  return { start: startOf(row, size), size };
}

/** Where the window of so many rows begins that holds the row. */
function startOf(row: number, size: number): number {
  return row - (row % size);
}
