import { dirname } from 'node:path';
import { PRICES } from '../../cost/prices.ts';
import { count } from './progress.ts';
import type { RunResult } from './run-result.ts';

const NAME_WIDTH = 14;
const INDENT = `\n${' '.repeat(NAME_WIDTH)}`;

/** The result as a table for people. */
export function printedResult(result: RunResult): string {
  const rows: readonly (readonly [string, string] | undefined)[] = [
    ['Export', `${result.status}: connection ${result.connection}, id ${result.exportId}`],
    result.reason === null ? undefined : ['Why', result.reason.message],
    ['Customers', count(result.customers) + comparison(result.matchesApi)],
    ['Pages', count(result.pages)],
    [
      'Requests',
      `${count(result.requests)}, ${count(result.throttled)} throttled${early(result.earlyRequests)}`,
    ],
    [
      'Waited',
      `${count(result.waitedSeconds)} s, as the API asked, of ${count(result.elapsedSeconds)} s`,
    ],
    result.completeness === null
      ? undefined
      : ['Verdict', [result.completeness.verdict, ...result.completeness.reasons].join(INDENT)],
    result.warnings.length === 0
      ? undefined
      : ['Warnings', result.warnings.map(warningLine).join(INDENT)],
    ['Parts', partsIn(result.parts)],
    result.manifest === null ? undefined : ['Manifest', result.manifest],
    result.schema === null ? undefined : ['Schema', result.schema],
    [
      'Cost on AWS',
      `about ${dollars(result.estimatedCostUsd)}: counted operations at the prices of ${PRICES.region}, ${PRICES.asOf}`,
    ],
  ];
  return rows
    .filter((row) => row !== undefined)
    .map(([name, value]) => `${name.padEnd(NAME_WIDTH)}${value}\n`)
    .join('');
}

function warningLine({ message, pages }: RunResult['warnings'][number]): string {
  return `${message} (on ${count(pages)} ${pages === 1 ? 'page' : 'pages'})`;
}

function partsIn([first, ...more]: readonly string[]): string {
  if (first === undefined) return '0';
  return `${count(1 + more.length)}, gzip with one JSON text a line, in ${dirname(first)}`;
}

function comparison(matchesApi: boolean | null): string {
  if (matchesApi === null) return '';
  return matchesApi ? ', the same as in the API, record by record' : ', NOT the same as in the API';
}

function early(requests: number | null): string {
  return requests === null ? '' : `, ${count(requests)} early by the API's own log`;
}

function dollars(usd: number): string {
  return `${usd.toFixed(usd < 0.01 ? 6 : 2)} USD`;
}
