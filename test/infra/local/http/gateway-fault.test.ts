import { expect, test } from '@jest/globals';
import { Callers } from '../../../../infra/local/endpoint/callers.ts';
import { startHttpGateway } from '../../../../infra/local/http/http-gateway.ts';
import { sampleDefinition } from '../lambda/sample-definition.ts';

test('a fault of the gateway says its cause', async () => {
  const gateway = await startHttpGateway(0);
  const api = {
    ...{ logicalId: 'Api', apiId: 'api', integrations: new Map(), stage: { throttle: undefined } },
    routes: [
      {
        ...{ routeKey: 'GET /echo', method: 'GET', path: '/echo', authorization: 'JWT' as const },
        ...{ function: sampleDefinition, timeoutMs: 1_000 },
      },
    ],
  };
  gateway.serve(api, {
    host: {
      find: () => sampleDefinition,
      invoke: async () => {
        throw new TypeError('x is not a function');
      },
    },
    access: { refusal: () => undefined, serviceRefusal: () => undefined },
    callers: new Callers('eu-west-1'),
    place: { accountId: '1', region: 'eu-west-1', endpointUrl: gateway.url },
    meter: { httpRequest: () => undefined },
  });
  try {
    const answer = await fetch(`${gateway.url}/echo`, {
      headers: { authorization: 'Bearer e30.e30.e30' },
    });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      message: 'Internal Server Error',
      gatewayFailed: 'TypeError: x is not a function',
    });
  } finally {
    await gateway.close();
  }
});
