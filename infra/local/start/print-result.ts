import { dirname } from 'node:path';
import { compressionOf } from '../../../lib/exports/compression.ts';
import { withOptionNames } from '../../command-line/option-table.ts';
import { type Column, type TextRow, textRows, textTable } from '../../command-line/text-table.ts';
import { count, usdText, waitedText } from '../../command-line/words.ts';
import { PRICES } from '../../cost/prices.ts';
import { printedChanges } from './print-changes.ts';
import { recordsWord } from './progress.ts';
import type { ListResult, RunResult } from './run-result.ts';
import { START_OPTIONS } from './start-options.ts';

const NAME_WIDTH = 14;

export function printedResult(result: RunResult): string {
  const [only, ...more] = result.exports;
  const changes = printedChanges(result.exports);
  if (only !== undefined && more.length === 0) {
    return textRows(rowsOfOne(result, only), NAME_WIDTH) + changes;
  }
  const table = textTable(COLUMNS, result.exports);
  return `${table}\n${textRows(rowsOfSeveral(result), NAME_WIDTH)}${changes}`;
}

/** What a manifest says of a setting, by the option for it. */
function words(message: string): string {
  return withOptionNames(START_OPTIONS, message);
}

function rowsOfOne(result: RunResult, only: ListResult): readonly TextRow[] {
  return [
    ['Export', `${only.status}: connection ${result.connection}, id ${only.exportId}`],
    only.reason === null ? undefined : ['Why', only.reason.message],
    [capital(recordsWord(only.list)), count(only.customers) + inApi(only.matchesApi)],
    ['Pages', count(only.pages)],
    [
      'Requests',
      `${count(only.requests)}, ${count(only.throttled)} throttled${early(result.earlyRequests)}`,
    ],
    ['Waited', waitedText(only.waitedSeconds, result.elapsedSeconds)],
    only.completeness === null
      ? undefined
      : [
          'Verdict',
          [only.completeness.verdict, ...only.completeness.reasons.map(words)].join('\n'),
        ],
    several('Warnings', only.warnings.map(warningLine)),
    ['Parts', partsIn(only.parts)],
    only.manifest === null ? undefined : ['Manifest', only.manifest],
    only.schema === null ? undefined : ['Schema', only.schema],
    only.report === null ? undefined : ['Report', `${only.report}, for your browser`],
    costRow(result),
  ];
}

/** Each value of a column, under its name. */
const COLUMNS: readonly Column<ListResult>[] = [
  ['List', ({ list }) => list],
  ['Status', ({ status }) => status],
  ['Records', ({ customers }) => count(customers)],
  ['Pages', ({ pages }) => count(pages)],
  ['Requests', ({ requests }) => count(requests)],
  ['Throttled', ({ throttled }) => count(throttled)],
  ['Waited (s)', ({ waitedSeconds }) => count(waitedSeconds)],
  ['Verdict', ({ completeness }) => completeness?.verdict ?? ''],
];

function rowsOfSeveral(result: RunResult): readonly TextRow[] {
  const { exports } = result;
  const ofEach = (name: string, texts: (each: ListResult) => readonly string[]): TextRow =>
    several(
      name,
      exports.flatMap((each) => texts(each).map((text) => `${each.list}: ${text}`)),
    );
  return [
    [
      'Exports',
      `${result.status}: connection ${result.connection}, ${exports.length} lists in turns`,
    ],
    ofEach('Why', ({ reason }) => (reason === null ? [] : [reason.message])),
    ofEach('In the API', ({ matchesApi }) =>
      matchesApi === null ? [] : [matchesApi ? 'the same, record by record' : 'NOT the same'],
    ),
    ofEach('Verdicts', ({ completeness }) => doubtsIn(completeness)),
    ofEach('Warnings', ({ warnings }) => warnings.map(warningLine)),
    ofEach('Parts', ({ parts }) => (parts.length === 0 ? [] : [partsIn(parts)])),
    ofEach('Reports', ({ report }) => (report === null ? [] : [report])),
    ['Time', `${count(result.elapsedSeconds)} s${early(result.earlyRequests)}`],
    costRow(result),
  ];
}

/** What keeps an export from being complete: of several lists the manifests have the rest. */
function doubtsIn(completeness: ListResult['completeness']): readonly string[] {
  if (completeness === null || completeness.verdict === 'complete') return [];
  return completeness.reasons.map(words);
}

/** The texts under each other; no row without any. */
function several(name: string, texts: readonly string[]): TextRow {
  return texts.length === 0 ? undefined : [name, texts.join('\n')];
}

function costRow({ estimatedCostUsd }: RunResult): TextRow {
  const { region, asOf } = PRICES;
  const basis = `operations at ${region} prices of ${asOf}`;
  return ['Cost on AWS', `about ${usdText(estimatedCostUsd)}: ${basis}`];
}

function warningLine({ message, pages }: ListResult['warnings'][number]): string {
  return `${words(message)} (on ${count(pages)} ${pages === 1 ? 'page' : 'pages'})`;
}

function partsIn([first, ...more]: readonly string[]): string {
  if (first === undefined) return '0';
  return `${count(1 + more.length)}, ${compressionOf(first)} with one JSON text a line, in ${dirname(first)}`;
}

function inApi(matchesApi: boolean | null): string {
  if (matchesApi === null) return '';
  return matchesApi ? ', the same as in the API, record by record' : ', NOT the same as in the API';
}

function early(requests: number | null): string {
  return requests === null ? '' : `, ${count(requests)} early by the API's own log`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
