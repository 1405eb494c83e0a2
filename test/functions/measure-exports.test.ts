import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { startJsonService } from './aws/json-service.ts';
import { lambdaContext } from './middleware/lambda-context.ts';

const DAY_SECONDS = 24 * 3600;
let engine: Awaited<ReturnType<typeof startFauxqs>>;
let secrets: Awaited<ReturnType<typeof startJsonService>>;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket('exports');
  const entry = (name: string, ageDays: number, more: object = {}) => ({
    Name: `keys/${name}`,
    CreatedDate: Date.now() / 1000 - ageDays * DAY_SECONDS,
    ...more,
  });
  const off = { Tags: [{ Key: 'customers-functions:schedule', Value: 'off' }] };
  secrets = await startJsonService(() => ({
    ok: {
      SecretList: [
        entry('fresh', 9),
        entry('late', 9),
        entry('new', 1),
        entry('damaged', 9),
        entry('own', 9),
        entry('off', 9, off),
      ],
    },
  }));
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)));
    return true;
  });
  Object.assign(process.env, {
    AWS_LAMBDA_FUNCTION_NAME: 'measure-exports',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${engine.port}`,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    EXPORT_BUCKET: 'exports',
    SECRET_PREFIX: 'keys/',
    MEASURED: JSON.stringify({
      exports: [
        {
          ...{ lists: ['customers'], all: true, own: false },
          ...{ names: ['fresh', 'secretless', 'off'], except: ['own'] },
        },
        { lists: ['invoices', 'quotes'], all: false, names: ['fresh'], except: [], own: true },
        { lists: ['refunds'], all: false, names: ['off'], except: [], own: true },
        { lists: ['ended'], all: true, names: ['late'], except: [], own: false, endMs: Date.now() },
        { lists: ['ahead'], all: true, names: ['late'], except: [], own: false, startMs: 2 ** 45 },
      ],
      overdueHours: 26,
    }),
  });
  const client = await import('@aws-sdk/client-s3');
  const s3 = new client.S3Client({ forcePathStyle: true });
  const put = (connection: string, Body: string, list = 'customers') =>
    s3.send(
      new client.PutObjectCommand({
        Bucket: 'exports',
        Key: `exports/connection=${connection}/list=${list}/latest.json`,
        Body,
      }),
    );
  const endedAt = new Date(Date.now() - 3_600_000).toISOString();
  await put('fresh', JSON.stringify({ exportId: 'e-1', endedAt }));
  await put('fresh', JSON.stringify({ exportId: 'e-3', endedAt }), 'invoices');
  await put('damaged', 'no JSON');
  const lateAt = new Date(Date.now() - 27 * 3_600_000).toISOString();
  await put('late', JSON.stringify({ exportId: 'e-2', endedAt: lateAt }));
  const { handler } = await import('../../functions/measure-exports.ts');
  await Reflect.apply(handler, undefined, [{}, lambdaContext()]);
}, 180_000);
afterAll(async () => {
  jest.restoreAllMocks();
  await secrets.close();
  await engine.stop();
});

const lineOf = (connection: string, list = 'customers') =>
  lines.find((line) => line['connection'] === connection && line['list'] === list);

test('tells of each list with a schedule how old its newest completed export is', () => {
  expect(lineOf('fresh')).toMatchObject({ newest: 'exported', exportId: 'e-1' });
  expect(lineOf('new')).toMatchObject({ newest: 'never-exported' });
  expect(lineOf('damaged')).toMatchObject({ newest: 'unreadable' });
  expect(lineOf('secretless')).toMatchObject({ newest: 'never-exported' });
  expect(lineOf('fresh', 'invoices')).toMatchObject({ newest: 'exported', exportId: 'e-3' });
  expect(lineOf('fresh', 'quotes')).toMatchObject({ newest: 'never-exported' });
  expect(lineOf('late', 'invoices')).toBeUndefined();
  expect(lineOf('own')).toBeUndefined();
  expect(lineOf('off')).toBeUndefined();
  expect(lineOf('off', 'refunds')).toMatchObject({ newest: 'never-exported' });
});

test('expects no export by a schedule that is over or begins later', () => {
  expect(lines.filter(({ list }) => list === 'ended' || list === 'ahead')).toEqual([]);
});

test('makes one metric of all lists, not one of each', () => {
  const measured = lines.at(-1) ?? {};

  expect(measured).toMatchObject({
    message: 'Measured',
    lists: 8,
    FunctionName: 'measure-exports',
    ConnectionsOverdue: 1,
    // Those that had the time, and the one that cannot be exported without a secret.
    ConnectionsNeverExported: 4,
  });
  expect(measured['NewestCompleteAgeSeconds']).toBeGreaterThanOrEqual(27 * 3_600);
  expect(measured['NewestCompleteAgeSeconds']).toBeLessThan(27 * 3_600 + 100);
  expect(lines.filter((line) => '_aws' in line)).toHaveLength(1);
});
