import { expect, test } from '@jest/globals';
import { costUsdOf } from '../../../../infra/cost/billed-units.ts';
import { createUsageMeter, type UsageMeter } from '../../../../infra/local/endpoint/usage.ts';
import { billedUnitsOf } from '../../../../infra/local/start/cost.ts';

const MILLION = 1e6;
const GIB = 1024 ** 3;

function costOf(use: (meter: UsageMeter) => void): number {
  const meter = createUsageMeter();
  use(meter);
  return costUsdOf(billedUnitsOf(meter.usage()));
}

test('what was not used costs nothing', () => {
  expect(costOf(() => {})).toBe(0);
});

// The prices of each service's public page for us-east-1; a million of each, so that they can be read.
test.each<[string, number, (meter: UsageMeter) => void]>([
  ['billed SQS requests', 0.4, (meter) => meter.sqsPayload(MILLION * 64 * 1024)],
  ['DynamoDB write units', 0.625, (meter) => meter.dynamodbUnits('write', MILLION)],
  ['DynamoDB read units', 0.125, (meter) => meter.dynamodbUnits('read', MILLION)],
  ['EventBridge events', 1, (meter) => meter.events(MILLION)],
])('a million %s cost %d USD', (_, usd, use) => {
  expect(costOf(use)).toBeCloseTo(usd, 9);
});

test.each<[string, number, (meter: UsageMeter) => void]>([
  ['writing an object', 5e-6, (meter) => meter.s3Request('put')],
  ['reading an object', 0.4e-6, (meter) => meter.s3Request('get')],
  ['deleting an object', 0, (meter) => meter.s3Request('free')],
  ['reading a secret', 5e-6, (meter) => meter.call('worker', 'secretsmanager', 'GetSecretValue')],
  ['a request to the HTTP API', 1e-6, (meter) => meter.httpRequest(0)],
  ['one of more than 512 KiB', 2e-6, (meter) => meter.httpRequest(512 * 1024 + 1)],
  ['a call by the scheduler', 1e-6, (meter) => meter.schedulerInvocation()],
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
