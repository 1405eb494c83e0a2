// How the exports of 2,000 connections go side by side, in virtual time, and what 1,000 of them cost:
// `npm run bench -- many-connections`. The table is in docs/performance.md.
import { costUsdOf } from '../../infra/cost/billed-units.ts';
import { PRICES } from '../../infra/cost/prices.ts';
import { compareAlone } from '../many-connections/compare-alone.ts';
import { Fleet } from '../many-connections/fleet.ts';
import { sampleConnections } from '../many-connections/sample-fleet.ts';

const COUNT = 2_000;
const PER = 1_000;
const BOUND = 50;

const connections = sampleConnections(COUNT);
const fleet = new Fleet({ connections, maxConcurrentExports: BOUND });
process.stderr.write(`Exporting ${COUNT.toLocaleString('en-US')} connections side by side\n`);
await fleet.run();
process.stderr.write('Exporting each of them alone\n');
const comparisons = new Map(
  (await compareAlone(connections, fleet.courses)).map((each) => [each.name, each]),
);

const completed = connections.filter(
  ({ name }) => fleet.ledger.readExport(name, fleet.exportIdOf(name))?.status === 'completed',
).length;
const unexplained = [...comparisons.values()].map(({ unexplainedMs }) => unexplainedMs);
const longestMs = Math.max(...[...fleet.courses.values()].map(({ durationMs }) => durationMs));

process.stdout.write(`
${fleet.mostAtOnce} workers at once at most (bound ${BOUND}), ${completed} of ${COUNT} completed, the last after ${seconds(longestMs)}

${row('API', 'connections', 'pages', 'throttled', 'steps', 'longest', 'alone', 'wait for a worker')}
${row(...Array.from({ length: 8 }, () => '---'))}
${(['quiet', 'limited', 'blocked'] as const).map(rowOf).join('\n')}

Longer than alone and not by waiting for a worker: ${seconds(Math.max(...unexplained))} at most.

${row(`per ${PER.toLocaleString('en-US')} connections`, 'number', 'USD')}
${row('---', '---', '---')}
${costRows().join('\n')}

Prices of ${PRICES.asOf}, ${PRICES.region}. Command: npm run bench -- many-connections
`);
process.exitCode = completed === COUNT && fleet.mostAtOnce <= BOUND ? 0 : 1;

function rowOf(temper: 'quiet' | 'limited' | 'blocked'): string {
  const some = connections.filter((each) => each.temper === temper);
  const courses = some.flatMap(({ name }) => fleet.courses.get(name) ?? []);
  const alone = some.map(({ name }) => comparisons.get(name)?.aloneMs ?? Number.NaN);
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  return row(
    temper,
    number(some.length),
    number(sum(some.map(({ pages }) => pages))),
    number(sum(courses.map(({ throttles }) => throttles))),
    number(sum(courses.map(({ steps }) => steps))),
    seconds(Math.max(...courses.map(({ durationMs }) => durationMs))),
    seconds(Math.max(...alone)),
    seconds(Math.max(...courses.map(({ slotWaitMs }) => slotWaitMs))),
  );
}

function costRows(): readonly string[] {
  const { billed } = fleet.meter.usage();
  const pricedRow = (what: string, units: number, price: number) =>
    costRow(what, units, units * price);
  return [
    pricedRow('Steps (Lambda requests)', billed.lambdaRequests, PRICES.lambdaRequest),
    pricedRow('Lambda GB-seconds', billed.lambdaGbSeconds, PRICES.lambdaGbSecond),
    costRow('Queue messages', fleet.messages, undefined),
    pricedRow('Queue requests', billed.sqsRequests, PRICES.sqsRequest),
    pricedRow('Ledger write units', billed.dynamodbWriteUnits, PRICES.dynamodbWriteUnit),
    pricedRow('Ledger read units', billed.dynamodbReadUnits, PRICES.dynamodbReadUnit),
    pricedRow('S3 writes and lists', billed.s3PutLike, PRICES.s3PutLike),
    pricedRow('S3 reads', billed.s3GetLike, PRICES.s3GetLike),
    pricedRow('Secrets Manager calls', billed.secretsManagerCalls, PRICES.secretsManagerCall),
    pricedRow('Events', billed.eventBridgeEvents, PRICES.eventBridgeEvent),
    costRow('**All**', undefined, costUsdOf(billed)),
  ];
}

/** @param count Of all connections of the run. */
function costRow(what: string, count: number | undefined, usd: number | undefined): string {
  const share = PER / COUNT;
  return row(
    what,
    count === undefined ? '' : number(Math.round(count * share)),
    usd === undefined ? '' : (usd * share).toFixed(4),
  );
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
