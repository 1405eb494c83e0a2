import { Stack } from 'aws-cdk-lib';
import { Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ALBEvent } from 'aws-lambda';
import { type CustomersClient, createCustomersClient, SettingError } from 'customers-functions';
import { CustomersIntegration, type CustomersIntegrationProps } from 'customers-functions/infra';
import { customersClient, httpChain, jsonTextAnswer, outcomeProblem } from 'customers-functions/lambda';
import { type Simulator, startSimulator } from 'customers-functions/testing';

export const client: CustomersClient = createCustomersClient({
  baseUrl: 'https://api.example.com',
  key: 'key',
});
export const simulator: Promise<Simulator> = startSimulator({ customers: 3 });
// @ts-expect-error: types are there, and none of them is any
client.noSuchMethod;
simulator.then((running) => {
  // @ts-expect-error: nor is the simulator
  running.noSuchMethod;
});
export const text = new SettingError('setting', 'problem').code satisfies 'INVALID_SETTING';

export const handler = httpChain()
  .use(customersClient({ connection: 'demo' }))
  .handler(async (event, { customers, log }) => {
    const path: string = event.rawPath;
    const outcome = await customers.read({ resource: path });
    log.info('Customer read', { outcome: outcome.kind });
    // @ts-expect-error: types are there, and none of them is any
    outcome.noSuchMember;
    // @ts-expect-error: nor is the context
    customers.noSuchMethod;
    return outcome.kind === 'resource'
      ? jsonTextAnswer(200, outcome.bodyText)
      : outcomeProblem(outcome);
  });

export const behindLoadBalancer = httpChain<ALBEvent>()
  .use(customersClient({ connection: (event: ALBEvent) => event.headers?.['x-connection'] }))
  .handler(async (event, { customers }) => {
    // @ts-expect-error: what an HTTP API alone sends
    event.rawPath;
    const outcome = await customers.read({ resource: event.path });
    return outcome.kind === 'resource'
      ? jsonTextAnswer(200, outcome.bodyText)
      : outcomeProblem(outcome);
  });

export function tables(stack: Stack, table: Table | TableV2) {
  const props: CustomersIntegrationProps = {
    connectionTable: {
      defaults: { baseUrl: 'https://api.example.com' },
      connections: { demo: {} },
    },
    table,
  };
  const integration = new CustomersIntegration(stack, 'Customers', props);
  integration.writes?.queue.queue.queueUrl satisfies string | undefined;
  // @ts-expect-error: no option of this name
  new CustomersIntegration(stack, 'Other', { ...props, noSuchOption: 1 });
  return integration.metricThrottles();
}

/** Each part has a type that can be named, which a project with `declaration`, as `cdk init` makes it, needs. */
export function partsOf(integration: CustomersIntegration) {
  const { ledger, store, queue, startExport, runExport, ...others } = integration;
  const { changes, descriptions, httpApi, tables, writes } = others;
  const functions = [descriptions?.function, writes?.function] as const;
  return { ledger, store, queue, startExport, runExport, changes, descriptions, httpApi, tables, writes, functions };
}
