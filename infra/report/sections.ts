import { bytesText, count, counted, usdText } from '../command-line/words.ts';
import { courseChart } from './course-chart.ts';
import { html, type Section, section } from './markup.ts';
import { rateChart } from './rate-chart.ts';
import type { ReportChanges, ReportData } from './report-data.ts';
import { schemaRows } from './schema-rows.ts';
import { foldedTable, table } from './table.ts';

export function reasonSection({ reason }: ReportData): Section {
  if (reason === undefined) return undefined;
  return section(
    'Why it stopped',
    html`<p class="bad">${reason.message}</p>
    <p class="soft">Code <code>${reason.code}</code></p>`,
  );
}

export function verdictSection({ manifest }: ReportData): Section {
  if (manifest === undefined) return undefined;
  const { completeness, walk, warnings, end } = manifest;
  const facts = [
    ...completeness.reasons,
    ...end.contradictions.map((each) => `Against it: ${each}`),
    ...warnings.map(({ message, pages }) => `Ignored on ${counted(pages, 'page')}: ${message}`),
  ];
  const counts = Object.entries(walk.counts).filter(([, value]) => value > 0);
  return section(
    'Why this verdict',
    html`<ul>${facts.map((each) => html`<li>${each}</li>`)}</ul>
    <p>The list was read by a <strong>${walk.kind}</strong> walk; its order: ${walk.order}.</p>
    ${table('What the walk met', WALK_COLUMNS, counts)}`,
  );
}

const WALK_WORDS: Readonly<Record<string, string>> = {
  answers: 'Pages that were looked at',
  dropped: 'Pages of which nothing was stored',
  skipped: 'Records that came again, and were stored once',
  gaps: 'Gaps between pages, read again',
  recovered: 'Records that had moved to pages read already, and were recovered',
  frontChecks: 'Looks at the front of the list',
  tailChecks: 'Looks at the end of the list',
  passes: 'Passes over the whole list',
};

const WALK_COLUMNS = [
  {
    name: 'What',
    cell: ([name]: readonly [string, number]) => WALK_WORDS[name] ?? name,
    kind: 'long',
  },
  {
    name: 'How many',
    cell: ([, value]: readonly [string, number]) => count(value),
    kind: 'number',
  },
] as const;

export function courseSection(data: ReportData): Section {
  const chart = courseChart(data);
  if (chart === undefined) return undefined;
  return section('Pages, throttles and waits over time', chart);
}

export function rateSection(data: ReportData): Section {
  const chart = rateChart(data);
  if (chart === undefined) return undefined;
  const { earlyRequests } = data;
  const early =
    earlyRequests !== undefined &&
    html`<p>Requests before their time, by the API's own log: <strong>${count(earlyRequests)}</strong>.</p>`;
  return section('Requests against the limit', html`${early || undefined}${chart}`);
}

export function partsSection({ manifest }: ReportData): Section {
  if (manifest === undefined || manifest.parts.length === 0) return undefined;
  const { parts, totals } = manifest;
  const caption = `${counted(parts.length, 'file')}, ${bytesText(totals.storedBytes)} stored, ${bytesText(totals.bytes)} of text`;
  return section(
    'Parts',
    foldedTable(
      caption,
      [
        {
          name: 'File',
          cell: ({ key }) => html`<code>${key.slice(key.lastIndexOf('/') + 1)}</code>`,
        },
        { name: 'Pages', cell: ({ pages }) => count(pages), kind: 'number' },
        { name: 'Records', cell: ({ customers }) => count(customers), kind: 'number' },
        { name: 'Stored', cell: ({ storedBytes }) => bytesText(storedBytes), kind: 'number' },
        { name: 'SHA-256', cell: ({ sha256 }) => html`<code>${sha256}</code>`, kind: 'long' },
      ],
      parts,
    ),
  );
}

export function changesSection({ changes }: ReportData): Section {
  if (changes === undefined) return undefined;
  const { since, samples } = changes;
  const against =
    since === undefined ? undefined : html`<p class="soft">Compared with <code>${since}</code></p>`;
  const sampled =
    samples.length > 0 &&
    table(
      'Some of the changes',
      [
        { name: 'Change', cell: ({ change }) => change },
        { name: 'Id', cell: ({ id }) => html`<code>${id}</code>`, kind: 'long' },
        { name: 'Members', cell: ({ members = [] }) => members.join(', '), kind: 'long' },
      ],
      samples,
    );
  return section('Changes', html`<p>${changesText(changes)}</p>${against}${sampled || undefined}`);
}

function changesText({ state, reason, counts }: ReportChanges): string {
  if (counts === undefined || state === 'first' || state === 'refused') {
    return (
      reason ??
      'There was no complete export to compare with; the next one is compared with this one.'
    );
  }
  const { added, changed, removed, unchanged } = counts;
  const all = `${count(added)} added, ${count(changed)} changed, ${count(removed)} removed, ${count(unchanged)} as they were.`;
  if (state === 'held')
    return `${all} Held back, since so many are gone: a person has to look first.`;
  return reason === undefined ? all : `${all} ${reason}`;
}

export function schemaSection({ schema }: ReportData): Section {
  if (schema === undefined) return undefined;
  const rows = schemaRows(schema.record);
  const compared = schema.since === undefined ? undefined : schema.changes.length;
  const changed =
    compared === undefined
      ? undefined
      : html`<p>${compared === 0 ? 'As in the export before.' : `${counted(compared, 'difference')} from the export before, listed in schema.json.`}</p>`;
  return section(
    'What the records look like',
    html`${changed}${foldedTable(
      `${counted(rows.length, 'member')} of ${counted(schema.records, 'record')}`,
      [
        { name: 'Member', cell: ({ path }) => html`<code>${path}</code>`, kind: 'long' },
        { name: 'Types', cell: ({ types }) => types, kind: 'long' },
        { name: 'In records', cell: ({ present }) => present, kind: 'number' },
      ],
      rows,
    )}`,
  );
}

export function costSection({ cost }: ReportData): Section {
  if (cost === undefined) return undefined;
  const rows = Object.entries(cost.byService).filter(([, usd]) => usd > 0);
  return section(
    'Cost on AWS',
    table(
      cost.basis,
      [
        { name: 'Service', cell: ([service]) => service },
        { name: 'USD', cell: ([, usd]) => usdText(usd), kind: 'number' },
      ],
      [...rows, ['All', rows.reduce((sum, [, usd]) => sum + usd, 0)] as const],
    ),
  );
}

/** What nobody has seen is said, and not drawn. */
export function unknownSection({ unknown = [] }: ReportData): Section {
  if (unknown.length === 0) return undefined;
  return section(
    'What is not known here',
    html`<ul>${unknown.map((each) => html`<li>${each}</li>`)}</ul>`,
  );
}
