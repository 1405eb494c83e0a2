import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { lambdaContext } from './middleware/lambda-context.ts';

let engine: Awaited<ReturnType<typeof startFauxqs>>;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket('exports');
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)));
    return true;
  });
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${engine.port}`,
    EXPORT_BUCKET: 'exports',
    MEASURED_CONNECTIONS: 'fresh,new,damaged',
  });
  const client = await import('@aws-sdk/client-s3');
  const s3 = new client.S3Client({ forcePathStyle: true });
  const put = (connection: string, Body: string) =>
    s3.send(
      new client.PutObjectCommand({
        Bucket: 'exports',
        Key: `exports/connection=${connection}/latest.json`,
        Body,
      }),
    );
  const endedAt = new Date(Date.now() - 3_600_000).toISOString();
  await put('fresh', JSON.stringify({ exportId: 'e-1', endedAt }));
  await put('damaged', 'no JSON');
  const { handler } = await import('../../functions/measure-exports.ts');
  await Reflect.apply(handler, undefined, [{}, lambdaContext()]);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await engine.stop();
});

const lineOf = (connection: string) => lines.find((line) => line['connection'] === connection);

test('tells the age of the newest complete export of a connection as a metric', () => {
  const line = lineOf('fresh');

  expect(line).toMatchObject({ newest: 'exported', exportId: 'e-1', FunctionName: 'run-export' });
  expect(line?.['NewestCompleteAgeSeconds']).toBeGreaterThanOrEqual(3_600);
  expect(line?.['NewestCompleteAgeSeconds']).toBeLessThan(3_700);
});

test('tells no age where there is none', () => {
  expect(lineOf('new')).toMatchObject({ newest: 'never-exported' });
  expect(lineOf('damaged')).toMatchObject({ newest: 'unreadable' });
  expect(lineOf('new')).not.toHaveProperty('_aws');
});

test('counts connections without a complete export', () => {
  expect(lines.at(-1)).toMatchObject({ message: 'Measured', ConnectionsNeverExported: 2 });
});
