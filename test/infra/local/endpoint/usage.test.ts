import { expect, test } from '@jest/globals';
import { costUsdOf } from '../../../../infra/cost/billed-units.ts';
import { createUsageMeter, type UsageMeter } from '../../../../infra/local/endpoint/usage.ts';

const MILLION = 1e6;
const GIB = 1024 ** 3;

function costOf(use: (meter: UsageMeter) => void): number {
  const meter = createUsageMeter();
  use(meter);
  return costUsdOf(meter.usage().billed);
}

test('what was not used costs nothing', () => {
  expect(costOf(() => {})).toBe(0);
});

// The prices of each service's public page for us-east-1; a million of each, so that they can be read.
test.each<[string, number, (meter: UsageMeter) => void]>([
  ['billed SQS requests', 0.4, (meter) => meter.sqsPayload(MILLION * 64 * 1024)],
  ['DynamoDB write units', 0.625, (meter) => meter.bill('dynamodbWriteUnits', MILLION)],
  ['DynamoDB read units', 0.125, (meter) => meter.bill('dynamodbReadUnits', MILLION)],
  ['EventBridge events', 1, (meter) => meter.bill('eventBridgeEvents', MILLION)],
  ['writes of objects', 5, (meter) => meter.bill('s3PutLike', MILLION)],
  ['reads of objects', 0.4, (meter) => meter.bill('s3GetLike', MILLION)],
  ['calls by the scheduler', 1, (meter) => meter.bill('schedulerInvocations', MILLION)],
])('a million %s cost %d USD', (_, usd, use) => {
  expect(costOf(use)).toBeCloseTo(usd, 9);
});

test.each<[string, number, (meter: UsageMeter) => void]>([
  ['reading a secret', 5e-6, (meter) => meter.call('worker', 'secretsmanager', 'GetSecretValue')],
  ['a request to the HTTP API', 1e-6, (meter) => meter.httpRequest(0)],
  ['one of more than 512 KiB', 2e-6, (meter) => meter.httpRequest(512 * 1024 + 1)],
])('%s costs %d USD', (_, usd, use) => {
  expect(costOf(use)).toBeCloseTo(usd, 12);
});

test('a function costs its time by its memory and its invocations', () => {
  const second = { durationMs: 1000, peakMemoryBytes: GIB, cold: false, failed: false };

  const cost = costOf((meter) => {
    meter.invocation('a', { ...second, memoryMb: 1024 });
    meter.invocation('b', { ...second, memoryMb: 512 });
  });

  expect(cost).toBeCloseTo(1.5 * 0.0000133334 + 2 * 0.2e-6, 12);
});
