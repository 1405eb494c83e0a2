/** Where a value lies in a chart. */
export interface Axis {
  /** Values to be marked, from 0 on. */
  readonly ticks: readonly number[];
  readonly max: number;
}

const DECIMAL_STEPS = [1, 2, 5];
/** In seconds: what people count time in. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400];

/** Whole numbers from 0 to at least `highest`, in steps of 1, 2 or 5 times a power of ten. */
export function countAxis(highest: number, maxTicks: number): Axis {
  const least = Math.max(1, highest) / maxTicks;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const step = (DECIMAL_STEPS.find((each) => each * power >= least) ?? 10) * power;
  const max = Math.ceil(Math.max(1, highest) / step) * step;
  return { ticks: Array.from({ length: max / step + 1 }, (_, index) => index * step), max };
}

/** Milliseconds from 0 to `durationMs`, marked in steps of seconds, minutes or hours. */
export function timeAxis(durationMs: number, maxTicks: number): Axis {
  const least = durationMs / 1_000 / maxTicks;
  const hours = 14_400 * Math.ceil(least / 14_400);
  const stepMs = (TIME_STEPS.find((step) => step >= least) ?? hours) * 1_000;
  const length = Math.floor(durationMs / stepMs) + 1;
  return {
    ticks: Array.from({ length }, (_, index) => index * stepMs),
    max: Math.max(1, durationMs),
  };
}

/** `0:07`, `12:30`, `1:05:00`. */
export function elapsedText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}
