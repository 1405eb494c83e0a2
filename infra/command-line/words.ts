const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** With thousands separators, the same on every machine. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 page`, `2 pages`. */
export function counted(value: number, word: string): string {
  return `${count(value)} ${value === 1 ? word : `${word}s`}`;
}

export function bytesText(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const digits = power === 0 ? 0 : 1;
  return `${(bytes / 1_000 ** power).toFixed(digits)} ${BYTE_UNITS[power]}`;
}

/** `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 10 min`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Of the waits that an API asked for, in seconds: `3 s, as the API asked, of 16.1 s`. What ends before its last wait is
 * over did not wait so long.
 */
export function waitedText(askedSeconds: number, elapsedSeconds: number): string {
  return askedSeconds <= Math.ceil(elapsedSeconds)
    ? `${count(askedSeconds)} s, as the API asked, of ${count(elapsedSeconds)} s`
    : `not all ${count(askedSeconds)} s that the API asked for, of ${count(elapsedSeconds)} s`;
}

/** `2026-11-22 20:48:43 UTC`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function usdText(usd: number): string {
  return `${usd.toFixed(usd < 0.01 ? 6 : 2)} USD`;
}

/** A command line, or a word of one, as a POSIX shell reads it. */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
