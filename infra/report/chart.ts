import { count } from '../command-line/words.ts';
import { type Axis, elapsedText } from './axis.ts';
import { html, type Markup } from './markup.ts';

/** Everything of it scales with the page, so a phone gets a chart of its own, with letters of the same size. */
export interface ChartSize {
  readonly className: string;
  readonly width: number;
  readonly height: number;
  readonly timeTicks: number;
}

export const CHART_SIZES: readonly ChartSize[] = [
  { className: 'wide', width: 720, height: 240, timeTicks: 9 },
  { className: 'narrow', width: 340, height: 220, timeTicks: 5 },
];

const MARGIN = { top: 12, right: 14, bottom: 30, left: 56 };
/** Pixels between the marks of the upright axis. */
const COUNT_TICKS_PX = 42;

/** The inner part of a chart: where values go to. */
export interface Plot {
  readonly x: (elapsedMs: number) => string;
  readonly y: (value: number) => string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly time: Axis;
  readonly counts: Axis;
}

/** How many marks the upright axis has room for. */
export function countTicks({ height }: ChartSize): number {
  return Math.floor((height - MARGIN.top - MARGIN.bottom) / COUNT_TICKS_PX);
}

export function plotOf({ width, height }: ChartSize, time: Axis, counts: Axis): Plot {
  const [left, right] = [MARGIN.left, width - MARGIN.right];
  const [top, bottom] = [MARGIN.top, height - MARGIN.bottom];
  const at = (share: number, from: number, to: number) =>
    (from + Math.min(1, Math.max(0, share)) * (to - from)).toFixed(1);
  return {
    x: (elapsedMs) => at(elapsedMs / time.max, left, right),
    y: (value) => at(value / counts.max, bottom, top),
    ...{ left, right, top, bottom, time, counts },
  };
}

/** @param label What a person who does not see it is told. */
export function chart(size: ChartSize, label: string, plot: Plot, layers: readonly Markup[]) {
  const { left, right, top, bottom, x, y } = plot;
  const rows = plot.counts.ticks.map(
    (value) => html`
      <line class="grid" x1="${left}" x2="${right}" y1="${y(value)}" y2="${y(value)}"/>
      <text class="tick" x="${left - 8}" y="${y(value)}" dy="4" text-anchor="end">${count(value)}</text>`,
  );
  const columns = plot.time.ticks.map(
    (ms) => html`
      <line class="mark" x1="${x(ms)}" x2="${x(ms)}" y1="${bottom}" y2="${bottom + 5}"/>
      <text class="tick" x="${x(ms)}" y="${bottom + 20}" text-anchor="middle">${elapsedText(ms)}</text>`,
  );
  return html`<svg class="chart ${size.className}" role="img" aria-label="${label}"
      viewBox="0 0 ${size.width} ${size.height}">${rows}${columns}
      <line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
      <line class="axis" x1="${left}" x2="${left}" y1="${top}" y2="${bottom}"/>${layers}
    </svg>`;
}
