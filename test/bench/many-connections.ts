// How the exports of 2,000 connections go side by side, in virtual time, and what 1,000 of them cost:
// `npm run bench -- many-connections`. The table is in docs/performance.md.
import { costUsdOf } from '../../infra/cost/billed-units.ts';
import { PRICES } from '../../infra/cost/prices.ts';
import { billedUnitsOf } from '../../infra/local/start/cost.ts';
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
  const usage = fleet.meter.usage();
  const functions = Object.values(usage.lambda);
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  const invocations = sum(functions.map((each) => each.invocations));
  const gbSeconds = sum(functions.map((each) => each.gbSeconds));
  const secretCalls = usage.secretsManager.requests;
  const { billedRequests } = usage.sqs;
  return [
    costRow('Steps (Lambda requests)', invocations, invocations * PRICES.lambdaRequest),
    costRow('Lambda GB-seconds', gbSeconds, gbSeconds * PRICES.lambdaGbSecond),
    costRow('Queue messages', fleet.messages, undefined),
    costRow('Queue requests', billedRequests, billedRequests * PRICES.sqsRequest),
    costRow(
      'Ledger write units',
      usage.dynamodb.writeUnits,
      usage.dynamodb.writeUnits * PRICES.dynamodbWriteUnit,
    ),
    costRow(
      'Ledger read units',
      usage.dynamodb.readUnits,
      usage.dynamodb.readUnits * PRICES.dynamodbReadUnit,
    ),
    costRow('S3 writes and lists', usage.s3.putLike, usage.s3.putLike * PRICES.s3PutLike),
    costRow('S3 reads', usage.s3.getLike, usage.s3.getLike * PRICES.s3GetLike),
    costRow('Secrets Manager calls', secretCalls, secretCalls * PRICES.secretsManagerCall),
    costRow('Events', usage.eventBridge.events, usage.eventBridge.events * PRICES.eventBridgeEvent),
    costRow('**All**', undefined, costUsdOf(billedUnitsOf(usage))),
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
