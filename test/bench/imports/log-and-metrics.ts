import { bundleCode } from '../import-times.ts';
import { installPackages } from '../install-packages.ts';
import powertoolsPackage from './powertools/package.json' with { type: 'json' };
import type { ImportRow, Question } from './question.ts';

const POWERTOOLS = 'test/bench/imports/powertools';
const VERSION = powertoolsPackage.dependencies['@aws-lambda-powertools/logger'];

/** The least that a function of a queue has. */
const BASE = 'base: @middy/core, client-sqs';
const BASE_CODE = `import middy from '@middy/core'; import { SQSClient } from '@aws-sdk/client-sqs';
export const client = new SQSClient({});`;

const OURS_CODE = `import { invocationLog } from './functions/middleware/invocation-log.ts';
import { liveKeys, processLog } from './functions/log/process-log.ts';
export const handler = middy().use(invocationLog(processLog, liveKeys.redact)).handler(
  (_, { log }) => log.info('Step', {}, { Pages: 1 }));`;

const LOGGER_CODE = `import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
const logger = new Logger({ serviceName: 'bench' });`;
const METRICS_CODE = `import { MetricUnit, Metrics } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
const metrics = new Metrics({ namespace: 'bench', serviceName: 'bench' });`;
const [USE_LOGGER, USE_METRICS] = [
  '.use(injectLambdaContext(logger))',
  '.use(logMetrics(metrics))',
];
const LOG = "logger.info('Step');";
const COUNT = "metrics.addMetric('Pages', MetricUnit.Count, 1);";

const POWERTOOLS_CODES = {
  'base and Powertools logger': `${LOGGER_CODE}
export const handler = middy()${USE_LOGGER}.handler(() => { ${LOG} });`,
  'base and Powertools metrics': `${METRICS_CODE}
export const handler = middy()${USE_METRICS}.handler(() => { ${COUNT} });`,
  'base and Powertools logger and metrics': `${LOGGER_CODE} ${METRICS_CODE}
export const handler = middy()${USE_LOGGER}${USE_METRICS}.handler(() => { ${LOG} ${COUNT} });`,
};

/** What logs and counts, on top of a function that does nothing else. */
export function logAndMetrics(): Question {
  return {
    title: `Log and metrics, ours and Powertools ${VERSION}`,
    rows: [
      { what: BASE, bundle: bundled('export const handler = middy().handler(() => {});') },
      { what: 'base and our log and metrics', bundle: bundled(OURS_CODE), beside: BASE },
      ...powertools(),
    ],
  };
}

/** No dependency of ours. */
function powertools(): readonly ImportRow[] {
  const installed = installPackages(POWERTOOLS);
  return Object.entries(POWERTOOLS_CODES).map(([what, code]) => ({
    what,
    bundle: installed.kind === 'installed' ? bundled(code, [installed.nodeModules]) : installed.why,
    beside: BASE,
  }));
}

function bundled(code: string, nodePaths: string[] = []): Uint8Array {
  return bundleCode(`${BASE_CODE}\n${code}`, { nodePaths });
}
