import { counted, durationText } from '../command-line/words.ts';
import { countAxis, timeAxis } from './axis.ts';
import { CHART_SIZES, type ChartSize, chart, countTicks, type Plot, plotOf } from './chart.ts';
import { html, type Markup } from './markup.ts';
import type { LoggedRequest, ReportData, RequestLimit } from './report-data.ts';

/** Narrower ones could not be told apart. */
const MAX_COLUMNS = 120;

/** Requests in each second, or a few seconds, and what is allowed; nothing without a log. */
export function rateChart(data: ReportData): Markup | undefined {
  const { requests, limit, startedAtMs } = data;
  const last = requests?.entries.at(-1);
  if (requests === undefined || last === undefined) return undefined;
  const durationMs = Math.max(data.endedAtMs ?? 0, last.atMs) - startedAtMs;
  const columns = columnsOf(requests.entries, startedAtMs, durationMs);
  return html`<figure>${CHART_SIZES.map((size) => sized(size, columns, limit))}
    <figcaption>
      <span class="key"><i class="answered"></i>answered</span>
      <span class="key"><i class="throttled"></i>throttled</span>
      <span class="key"><i class="failed"></i>failed</span>
      ${limit && html`<span class="key"><i class="limit"></i>${limit.says} ${limitText(limit)}</span>`}
      ${columns.widthMs > 1_000 ? html`<span class="key">each column: ${durationText(columns.widthMs)}</span>` : undefined}
    </figcaption></figure>`;
}

/** Requests in pieces of the time that are of one length. */
export interface Columns {
  readonly widthMs: number;
  readonly durationMs: number;
  readonly counts: readonly Readonly<Record<LoggedRequest['outcome'], number>>[];
}

/** Whole seconds, so that what is allowed a second can be compared. */
export function columnsOf(
  requests: readonly LoggedRequest[],
  startedAtMs: number,
  durationMs: number,
): Columns {
  const widthMs = 1_000 * Math.max(1, Math.ceil(durationMs / 1_000 / MAX_COLUMNS));
  const length = Math.floor(Math.max(0, durationMs) / widthMs) + 1;
  const counts = Array.from({ length }, () => ({ answered: 0, throttled: 0, failed: 0 }));
  for (const { atMs, outcome } of requests) {
    const column = counts[Math.max(0, Math.floor((atMs - startedAtMs) / widthMs))];
    if (column !== undefined) column[outcome] += 1;
  }
  return { widthMs, durationMs: length * widthMs, counts };
}

function sized(size: ChartSize, columns: Columns, limit: RequestLimit | undefined): Markup {
  const { widthMs, counts, durationMs } = columns;
  const perSecond = counts.map(
    ({ answered, throttled, failed }) => (1_000 * (answered + throttled + failed)) / widthMs,
  );
  const highest = Math.max(...perSecond, limit?.requestsPerSecond ?? 0);
  const axes = [
    timeAxis(durationMs, size.timeTicks),
    countAxis(highest, countTicks(size)),
  ] as const;
  const plot = plotOf(size, ...axes);
  const label = `Requests a second, at most ${Math.round(Math.max(...perSecond))}${limit ? `; ${limit.says} ${limitText(limit)}` : ''}`;
  return chart(size, label, plot, [
    html`${counts.map((_, index) => column(plot, columns, index))}`,
    html`${limit && limitLine(plot, limit)}`,
  ]);
}

/** What was answered at the bottom, then throttles, then failures. */
function column(plot: Plot, { widthMs, counts }: Columns, index: number): Markup {
  const left = Number(plot.x(index * widthMs));
  const width = Math.max(1, Number(plot.x((index + 1) * widthMs)) - left - 1).toFixed(1);
  const found = counts[index];
  let below = 0;
  const boxes = (['answered', 'throttled', 'failed'] as const).map((outcome) => {
    const requests = found?.[outcome] ?? 0;
    if (requests === 0) return undefined;
    const perSecond = (1_000 * requests) / widthMs;
    const [top, bottom] = [Number(plot.y(below + perSecond)), Number(plot.y(below))];
    below += perSecond;
    return html`<rect class="${outcome}" x="${left}" y="${top}" width="${width}" height="${(bottom - top).toFixed(1)}"><title>${counted(requests, 'request')} ${outcome}</title></rect>`;
  });
  return html`${boxes}`;
}

function limitLine({ left, right, y }: Plot, { requestsPerSecond }: RequestLimit): Markup {
  const at = y(requestsPerSecond);
  return html`<line class="limit" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/>`;
}

function limitText({ requestsPerSecond, burst }: RequestLimit): string {
  const atOnce =
    burst === undefined ? '' : `, and ${counted(burst, 'request')} at once after a pause`;
  return `${counted(requestsPerSecond, 'request')} a second${atOnce}`;
}
