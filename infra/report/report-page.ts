import { bytesText, count, durationText, timeText } from '../command-line/words.ts';
import { html, type Markup } from './markup.ts';
import type { ReportData } from './report-data.ts';
import { REPORT_STYLE } from './report-style.ts';
import {
  changesSection,
  costSection,
  courseSection,
  partsSection,
  rateSection,
  reasonSection,
  schemaSection,
  unknownSection,
  verdictSection,
} from './sections.ts';
import { stepsSection } from './steps-section.ts';

/** Its name, beside the files of its export. */
export const REPORT_FILE = 'report.html';

/** A browser loads nothing and runs nothing for it, whatever the data says (CSP Level 3). */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The content of `report.html`: what happened in one export, as one page without a script. */
export function reportPage(data: ReportData): string {
  const { connection, list, exportId } = data;
  const sections = [
    reasonSection(data),
    verdictSection(data),
    changesSection(data),
    courseSection(data),
    rateSection(data),
    stepsSection(data),
    partsSection(data),
    schemaSection(data),
    costSection(data),
    unknownSection(data),
  ];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Export of ${list}, connection ${connection}</title>
<style>${{ markup: REPORT_STYLE }}</style>
</head>
<body>
<main>
<header>
<h1>Export of ${list}, connection ${connection}</h1>
<p class="soft"><code>${exportId}</code></p>
<p>${outcome(data)}</p>
<dl>${figuresOf(data).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
${sections}
</main>
</body>
</html>
`;
  return page.markup;
}

/** The colour repeats what the words say. */
function outcome({ status, manifest, matchesApi }: ReportData): Markup {
  const verdict = manifest?.completeness.verdict;
  if (verdict === undefined) {
    return html`<span class="verdict ${status === 'running' ? 'doubt' : 'bad'}">${status}</span>`;
  }
  const same =
    matchesApi === undefined
      ? ''
      : ` Its files hold ${matchesApi ? 'the same records as the simulated API' : 'NOT the same records as the simulated API'}.`;
  return html`<span class="verdict ${verdict === 'complete' ? 'good' : 'doubt'}">${status}, ${verdict}</span>.${same}`;
}

type Figure = readonly [name: string, value: string];

function figuresOf({ course, manifest, startedAtMs, endedAtMs }: ReportData): readonly Figure[] {
  const last = course.at(-1);
  const { totals, requests = last?.requests, throttles = last?.throttles } = manifest ?? {};
  const counts: readonly (readonly [string, number | undefined])[] = [
    ['Records', totals?.customers ?? last?.records],
    ['Pages', totals?.pages ?? last?.pages],
    ['Requests', requests],
    ['Throttled', throttles],
  ];
  return [
    ...counts.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, count(value)] as const],
    ),
    ...(manifest === undefined
      ? []
      : ([
          ['Asked to wait', durationText(1_000 * manifest.waitedSeconds)],
          ['Stored', bytesText(manifest.totals.storedBytes)],
        ] as const)),
    ['Began', timeText(startedAtMs)],
    ...(endedAtMs === undefined ? [] : [['Took', durationText(endedAtMs - startedAtMs)] as const]),
  ];
}
