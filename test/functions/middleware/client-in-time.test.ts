import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { customersClient } from '../../../functions/middleware/customers-client.ts';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import type { TypedClient } from '../../../lib/gate/typed-client.ts';
import { trust } from '../../trust.ts';
import { startLedger } from '../aws/dynalite-ledger.ts';
import { startJsonService } from '../aws/json-service.ts';
import { listen } from '../aws/local-server.ts';
import { lambdaContext } from './lambda-context.ts';

const BEFORE = { ...process.env };
let ledger: Awaited<ReturnType<typeof startLedger>>;
let secrets: Awaited<ReturnType<typeof startJsonService>>;
let api: Server;
let isSilent = false;

beforeAll(async () => {
  ledger = await startLedger();
  secrets = await startJsonService(() => ({ ok: { VersionId: 'v1', SecretString: 'a-key' } }));
  const { caPem, certificatePem: cert, privateKeyPem: key } = await createCertificates(Date.now());
  trust(caPem);
  api = createServer({ key, cert }, (_request, response) => {
    if (!isSilent) response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id":1}');
  });
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_DYNAMODB: ledger.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    LEDGER_TABLE: 'ledger',
    SECRET_PREFIX: 'customers-api/',
    CONNECTIONS: JSON.stringify({
      defaults: { baseUrl: (await listen(api)).url.replace('http:', 'https:') },
      connections: { demo: {} },
    }),
  });
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(async () => {
  process.env = BEFORE;
  jest.restoreAllMocks();
  api.closeAllConnections();
  api.close();
  await secrets.close();
  await ledger.close();
});
/** The client in an invocation with so much time left. */
async function clientWithin(leftMs: number): Promise<TypedClient> {
  const context = { ...lambdaContext(), getRemainingTimeInMillis: () => leftMs };
  const { before } = customersClient({ connection: 'demo' });
  await Reflect.apply(Object(before), undefined, [{ context, event: {}, internal: {} }]);
  return Object(context).customers;
}

test('a request that gets no answer ends before the function does, which is told of it', async () => {
  const { read } = await clientWithin(60_000);
  expect(await read({ resource: 'customers/1' })).toMatchObject({ kind: 'resource' });
  isSilent = true;

  const late = await clientWithin(400);
  expect(await late.read({ resource: 'customers/1' })).toMatchObject({
    kind: 'unavailable',
    reason: 'aborted',
  });
  expect(await late.listPage({ page: 1 })).toMatchObject({
    kind: 'unavailable',
    reason: 'aborted',
  });
  expect(await late.write({ method: 'POST', resource: 'customers', body: {} })).toMatchObject({
    kind: 'unclear',
    reason: 'aborted',
  });
});
