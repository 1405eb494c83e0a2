import { expect, test } from '@jest/globals';
import { startAwsEndpoint } from '../../../../infra/local/endpoint/aws-endpoint.ts';
import { Callers } from '../../../../infra/local/endpoint/callers.ts';
import { signedFetch } from '../signed-fetch.ts';

const REGION = 'eu-west-1';

test('a fault of the endpoint says its cause', async () => {
  const callers = new Callers(REGION);
  const credentials = callers.admitPerson('operator');
  const endpoint = await startAwsEndpoint(callers);
  endpoint.add('sqs', async () => {
    throw new TypeError('x is not a function');
  });
  try {
    const signer = { region: REGION, credentials, service: 'sqs' };
    const answer = await signedFetch(signer, `${endpoint.url}/`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      __type: 'InternalFailure',
      message: 'The local endpoint failed: TypeError: x is not a function',
    });
  } finally {
    await endpoint.close();
  }
});
