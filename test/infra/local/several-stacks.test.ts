import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import * as v from 'valibot';
import { CustomersIntegration } from '../../../infra/constructs/customers-integration.ts';
import { type LocalAccount, startLocalAccount } from '../../../infra/local/local-account.ts';
import type { LocalStack } from '../../../infra/local/local-stack.ts';
import { ADDRESS_IN_SECRET } from '../../../infra/local/start/synthesize.ts';
import { checkLog } from '../../../infra/simulator/check-log.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import { until } from '../../until.ts';
import { startCheckedStack } from './checked-stack.ts';
import { signedFetch } from './signed-fetch.ts';
import { addResource } from './whole-stack/assembly.ts';
import { type Operator, operatorOf, outputsOf } from './whole-stack/operator.ts';
import { readStored } from './whole-stack/stored-export.ts';

const KEYS = { Sales: 'key-of-sales', Support: 'key-of-support' } as const;
const STACKS = ['dev', 'prod'] as const;
type StackName = (typeof STACKS)[number];
/** An integration in a stack: its id, as events name it. */
type House = `${StackName}.${keyof typeof KEYS}`;
const HOUSES = ['dev.Sales', 'dev.Support', 'prod.Sales', 'prod.Support'] as const;
const TIMEOUT_MS = 180_000;
const WAIT_SECONDS = 3;

const folder = mkdtempSync(join(tmpdir(), 'several-stacks-'));
const invoked: string[] = [];
const stacks = new Map<string, LocalStack>();
let api: Simulator;
let account: LocalAccount;
let bus: EventBridgeClient;

/** Two stacks of the same template, with two integrations each. */
beforeAll(async () => {
  api = await startSimulator({
    customers: 300,
    organizations: Object.entries(KEYS).map(([name, key]) => ({ name, key })),
    // The API asks one of them to wait.
    faults: [
      {
        when: { organization: 'Sales', page: 1 },
        times: 1,
        fault: {
          kind: 'status',
          status: 429,
          headers: { 'Retry-After': String(WAIT_SECONDS) },
        },
      },
    ],
  });
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, api.caPem);
  account = await startLocalAccount({
    environment: { NODE_EXTRA_CA_CERTS: caFile },
    onLog: ({ functionName }) => invoked.push(functionName),
  });
  for (const name of STACKS) synthesizeHouses(name);
}, TIMEOUT_MS);
afterAll(async () => {
  bus?.destroy();
  for (const stack of stacks.values()) await stack.stop();
  await account?.stop();
  await api?.close();
  rmSync(folder, { recursive: true });
});

/** A template with two integrations. */
function synthesizeHouses(name: StackName): void {
  const app = new App({ outdir: join(folder, name), autoSynth: false, analyticsReporting: false });
  const stack = new Stack(app, name);
  for (const id of ['Sales', 'Support']) {
    new CustomersIntegration(stack, id, {
      connectionTable: { defaults: { baseUrl: ADDRESS_IN_SECRET }, connections: { demo: {} } },
      schedule: { schedule: ScheduleExpression.rate(Duration.days(1)) },
    });
  }
  app.synth();
}

function deploy(assembly: string): Promise<LocalStack> {
  return startCheckedStack({ assembly: join(folder, assembly), account, schedules: false });
}

function stackOf(house: string): LocalStack {
  const stack = stacks.get(house.split('.')[0] ?? '');
  if (stack === undefined) throw new Error(`no stack of ${house}`);
  return stack;
}

const idOf = (house: House) => house.split('.')[1] ?? '';
const operatorFor = (house: House): Operator => operatorOf(stackOf(house), idOf(house));

async function request(integration: House): Promise<void> {
  const Detail = JSON.stringify({ v: 1, integration, connection: 'demo' });
  const entry = { Source: 'customers-functions.requests', DetailType: 'Export Requested', Detail };
  await bus.send(new PutEventsCommand({ Entries: [entry] }));
}

/** Its key, and where the API is: the template knows no address. */
function storeKey(house: House): void {
  const apiKey = house.endsWith('Sales') ? KEYS.Sales : KEYS.Support;
  operatorFor(house).storeKey('demo', JSON.stringify({ apiKey, baseUrl: api.url }));
}

/** Id of the export of which an integration has told that it is complete. */
function completed(house: House): Promise<string> {
  return until(`an export of ${house}`, () => {
    const found = stackOf(house).events.find(
      ({ event }) =>
        event['detail-type'] === 'Export Completed' && event.detail['integration'] === house,
    );
    return found && String(found.event.detail['exportId']);
  });
}

/** What the alarms of an integration look at: messages in its queues of what failed. */
async function letters(house: House): Promise<number> {
  const stack = stackOf(house);
  const sqs = new SQSClient(stack.endpoint);
  const urls = Object.entries(outputsOf(stack, idOf(house))).filter(([key]) =>
    /(?:DeadLetterQueue|Undelivered\w*)Url$/.test(key),
  );
  expect(urls.length).toBeGreaterThan(3);
  const counts = urls.map(async ([, url]) => {
    const QueueUrl = String(url);
    const AttributeNames: ['ApproximateNumberOfMessages'] = ['ApproximateNumberOfMessages'];
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames }),
    );
    return Number(Attributes?.ApproximateNumberOfMessages);
  });
  const sum = (await Promise.all(counts)).reduce((all, count) => all + count, 0);
  sqs.destroy();
  return sum;
}

/** Those integrations of which a function has run. */
function awake(): readonly House[] {
  return HOUSES.filter((house) => {
    const own = Object.entries(stackOf(house).resources).filter(([id]) =>
      id.startsWith(idOf(house)),
    );
    return own.some(([, { name }]) => invoked.includes(name));
  });
}

/** Ids of the exports that the HTTP API of an integration tells, at the address that its output has. */
async function listed(house: House): Promise<readonly string[]> {
  const stack = stackOf(house);
  const { HttpApiUrl } = outputsOf(stack, idOf(house));
  const response = await signedFetch(stack.endpoint, `${HttpApiUrl}/connections/demo/exports`);
  const ExportsSchema = v.object({ exports: v.array(v.object({ exportId: v.string() })) });
  return v.parse(ExportsSchema, await response.json()).exports.map(({ exportId }) => exportId);
}

test(
  'a stack whose first deployment failed is deployed again, whatever it had made',
  async () => {
    cpSync(join(folder, 'dev'), join(folder, 'failing'), { recursive: true });
    const resource = { Type: 'AWS::SQS::Queue', Properties: { RefusedByAws: true } };
    addResource(join(folder, 'failing'), 'Refused', resource);

    await expect(deploy('failing')).rejects.toThrow('Refused (AWS::SQS::Queue)');
    for (const name of STACKS) stacks.set(name, await deploy(name));
    expect(stackOf('dev').httpApis).toHaveLength(2);
  },
  TIMEOUT_MS,
);

test(
  'what is for one integration starts nothing in another of its stack or of another: keys, events, waits, addresses and alarms are its own',
  async () => {
    bus = new EventBridgeClient(stackOf('dev').endpoint);
    storeKey('dev.Sales');
    await request('dev.Sales');
    const ofSales = await completed('dev.Sales');
    await stackOf('dev').idle();

    expect((await readStored(operatorFor('dev.Sales'), 'demo', ofSales)).records).toHaveLength(300);
    expect(awake()).toEqual(['dev.Sales']);
    expect(new Set(stackOf('dev').events.map(({ event }) => event.detail['integration']))).toEqual(
      new Set([undefined, 'dev.Sales']), // that of the new key is the service's own
    );

    const waited = checkLog(api.log.entries).throttled;
    storeKey('dev.Support');
    await request('dev.Support');
    const ofSupport = await completed('dev.Support');
    await stackOf('dev').idle();

    const check = checkLog(api.log.entries);
    expect([waited, check.throttled, check.earlyRequests]).toEqual([1, 1, []]);
    expect(awake()).toEqual(['dev.Sales', 'dev.Support']);
    expect(await Promise.all(HOUSES.map(letters))).toEqual([0, 0, 0, 0]);
    expect(await Promise.all(HOUSES.map(listed))).toEqual([[ofSales], [ofSupport], [], []]);
  },
  TIMEOUT_MS,
);

test(
  'a stack that is deleted is deployed again beside what stayed, and the other stack does not notice',
  async () => {
    const former = stackOf('dev');
    const operator = operatorFor('dev.Sales');
    const exportId = await completed('dev.Sales');
    await expect(deploy('dev')).rejects.toThrow(/^Sales\w+: AWS::\S+ dev\S* already exists$/);
    await former.destroy();
    stacks.set('dev', await deploy('dev'));

    const again = operatorFor('dev.Sales');
    const name = 'SalesKeptTableNames';
    expect((await readStored(operator, 'demo', exportId)).records).toHaveLength(300);
    expect(stackOf('dev').outputs[name]).not.toBe(former.outputs[name]);
    // The secret is not of the stack: its key is there already.
    const { exportId: next } = await again.start('demo');
    await again.watch('demo', next, ({ status }) => status === 'completed');
    expect((await readStored(again, 'demo', next)).records).toHaveLength(300);
    storeKey('prod.Sales');
    await operatorFor('prod.Sales').start('demo');
  },
  TIMEOUT_MS,
);
