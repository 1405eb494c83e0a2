import { counted, durationText } from '../command-line/words.ts';
import { countAxis, timeAxis } from './axis.ts';
import { CHART_SIZES, type ChartSize, chart, countTicks, type Plot, plotOf } from './chart.ts';
import { html, type Markup } from './markup.ts';
import type { CoursePoint, LoggedRequest, ReportData } from './report-data.ts';

/** Pages over the time, with the throttles and the waits; nothing when too little was seen to draw a line. */
export function courseChart(data: ReportData): Markup | undefined {
  const { course, startedAtMs } = data;
  const last = course.at(-1);
  if (last === undefined || course.length < 2) return undefined;
  const endMs = Math.max(data.endedAtMs ?? 0, last.atMs);
  return html`<figure>${CHART_SIZES.map((size) => sized(size, data, endMs - startedAtMs))}
    <figcaption>
      <span class="key"><i class="line"></i>pages in the ledger, which a crash keeps</span>
      ${data.requests && html`<span class="key"><i class="answers"></i>pages answered, ${data.requests.from}</span>`}
      <span class="key"><i class="throttle"></i>throttled</span>
      <span class="key"><i class="wait"></i>waiting, no request allowed</span>
    </figcaption></figure>`;
}

function sized(
  size: ChartSize,
  { course, requests, startedAtMs }: ReportData,
  durationMs: number,
): Markup {
  const answers = (requests?.entries ?? []).filter(({ outcome }) => outcome === 'answered');
  const pages = course.at(-1)?.pages ?? 0;
  const time = timeAxis(durationMs, size.timeTicks);
  const plot = plotOf(size, time, countAxis(Math.max(pages, answers.length), countTicks(size)));
  const throttles = course.at(-1)?.throttles ?? 0;
  const label = `${counted(pages, 'page')} in ${durationText(durationMs)}, ${counted(throttles, 'throttle')}`;
  return chart(size, label, plot, [
    html`${waitsOf(course, startedAtMs + durationMs).map((wait) => band(plot, wait, startedAtMs))}`,
    html`<path class="answers" d="${stairs(plot, climb(answers, size.width), startedAtMs)}"/>`,
    html`<path class="line" d="${stairs(plot, course, startedAtMs)}"/>`,
    html`${throttlesOf(course).map((point) => throttleMark(plot, point, startedAtMs))}`,
  ]);
}

/** Between two points nothing is known, so the line goes up when the next one was seen. */
function stairs({ x, y }: Plot, course: readonly Level[], startedAtMs: number): string {
  const steps = course.map(({ atMs, pages }) => `H${x(atMs - startedAtMs)}V${y(pages)}`);
  return `M${x(0)} ${y(0)}${steps.join('')}`;
}

type Level = Pick<CoursePoint, 'atMs' | 'pages'>;

/** One level more for each answer; of many no more than a chart has pixels. */
function climb(answers: readonly LoggedRequest[], most: number): readonly Level[] {
  const every = Math.ceil(answers.length / most);
  return answers
    .map(({ atMs }, index) => ({ atMs, pages: index + 1 }))
    .filter(({ pages }) => pages % every === 0 || pages === answers.length);
}

interface Wait {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Waits that touch each other are one; the last one may have been asked for beyond the end. */
export function waitsOf(course: readonly CoursePoint[], endMs: number): readonly Wait[] {
  const waits: Wait[] = [];
  for (const { atMs, waitUntilMs = 0 } of course) {
    const last = waits.at(-1);
    const toMs = Math.min(waitUntilMs, endMs);
    if (toMs <= atMs) continue;
    if (last !== undefined && atMs <= last.toMs) {
      waits[waits.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, toMs) };
    } else waits.push({ fromMs: atMs, toMs });
  }
  return waits;
}

/** The points with more throttles than the one before. */
function throttlesOf(course: readonly CoursePoint[]): readonly CoursePoint[] {
  return course.filter(({ throttles }, index) => throttles > (course[index - 1]?.throttles ?? 0));
}

function band({ x, top, bottom }: Plot, { fromMs, toMs }: Wait, startedAtMs: number): Markup {
  const [left, right] = [x(fromMs - startedAtMs), x(toMs - startedAtMs)];
  const width = (Number(right) - Number(left)).toFixed(1);
  return html`<rect class="wait" x="${left}" y="${top}" width="${width}" height="${bottom - top}"><title>Waited ${durationText(toMs - fromMs)}</title></rect>`;
}

/** A triangle on the line, so that it differs not by its colour alone. */
function throttleMark(
  { x, y }: Plot,
  { atMs, pages, throttles }: CoursePoint,
  startedAtMs: number,
) {
  const [left, top] = [x(atMs - startedAtMs), y(pages)];
  return html`<path class="throttle" transform="translate(${left} ${top})" d="M0-6 5 4-5 4Z"><title>${counted(throttles, 'throttle')} so far</title></path>`;
}
