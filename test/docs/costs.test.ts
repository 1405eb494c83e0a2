import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PRICES } from '../../infra/cost/prices.ts';
import { synthesizedStack } from '../infra/synthesized-stack.ts';
import { expectedExport } from './expected-export.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/costs.md'), 'utf8');
const [anExport = [], aMonth = []] = [...page.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) =>
  table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, name = '', quantity = '', each = '', usd = '']) => ({
      name,
      quantity: Number.parseFloat(quantity.replaceAll(',', '')),
      each: Number(each),
      usd: Number(usd),
    })),
);
const total = (rows: typeof anExport) => rows.reduce((sum, { usd }) => sum + usd, 0);

test.each([...anExport, ...aMonth])('$name is $quantity times $each', ({ quantity, each, usd }) => {
  const digits = each < 0.0001 && usd < 0.01 ? 7 : 2;
  expect(usd).toBeCloseTo(quantity * each, digits);
});

test('the prices of an export are those that the stack reckons with', () => {
  const known = Object.values(PRICES).filter((price) => typeof price === 'number');

  expect(anExport).toHaveLength(11);
  for (const { each } of anExport) {
    expect(known.some((price) => Math.abs(price - each) < 1e-12)).toBe(true);
  }
  expect(page).toContain(PRICES.asOf);
});

test('the sums are right', () => {
  expect(page).toContain(`${total(anExport).toFixed(4)} USD an export`);
  expect(page).toContain(`${(30 * total(anExport)).toFixed(2)} USD a month. Waiting`);
  expect(page).toContain(`${total(aMonth).toFixed(2)} USD a month, of which`);
  const watching = aMonth.filter(({ name }) => name.startsWith('CloudWatch'));
  expect(page).toContain(`of which watching is ${total(watching).toFixed(2)}.`);
});

test('its alarms look at as many metrics as the page says', () => {
  const connections = { demo: { schedule: 'cron(0 3 * * ? *)' } };
  const stack = synthesizedStack({ baseUrl: 'https://api.example.com', connections });
  const looked = Object.values(stack.findResources('AWS::CloudWatch::Alarm')).flatMap(
    ({ Properties: { Metrics = [{ MetricStat: true }] } }) =>
      Metrics.filter(({ MetricStat }: { readonly MetricStat?: unknown }) => MetricStat),
  );

  expect(aMonth.find(({ name }) => name.startsWith('CloudWatch alarms'))?.quantity).toBe(
    looked.length,
  );
});

test('the example is what the model expects', () => {
  const { pages, durationSeconds, steps, units } = expectedExport({
    customers: 1_000_000,
    perPage: 100,
    limit: { kind: 'rate', requestsPerSecond: 10 },
    latencyMs: 100,
    memoryMiB: 512,
  });
  const [pagesText, secondsText] = [pages, durationSeconds].map((n) => n.toLocaleString('en-US'));
  expect(page).toContain(`An export is ${pagesText} pages`);
  expect(page).toContain(`in about ${secondsText} seconds, in ${steps} steps of the worker`);
  const quantityOf = (start: string) =>
    anExport.find(({ name }) => name.startsWith(start))?.quantity;
  expect(quantityOf(`Lambda, 0.5 GB for ${secondsText} s`)).toBe(durationSeconds / 2);
  expect(quantityOf('Lambda, steps')).toBe(units.lambdaRequests);
  expect(quantityOf('SQS')).toBe(units.sqsRequests);
  expect(quantityOf('DynamoDB, writes')).toBe(units.dynamodbWriteUnits);
  expect(quantityOf('DynamoDB, reads')).toBe(units.dynamodbReadUnits);
});
