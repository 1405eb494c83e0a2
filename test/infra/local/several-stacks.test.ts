import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LocalAccount, startLocalAccount } from '../../../infra/local/local-account.ts';
import type { LocalStack } from '../../../infra/local/local-stack.ts';
import { checkLog } from '../../../infra/simulator/check-log.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import { until } from '../../until.ts';
import { startCheckedStack } from './checked-stack.ts';
import { synthesizeStack } from './whole-stack/assembly.ts';
import { type Operator, operatorOf } from './whole-stack/operator.ts';
import { readStored } from './whole-stack/stored-export.ts';

const KEYS = { dev: 'key-of-dev', prod: 'key-of-prod' } as const;
const NAMES = ['dev', 'prod'] as const;
type Name = (typeof NAMES)[number];
const TIMEOUT_MS = 180_000;
const WAIT_SECONDS = 3;

const folder = mkdtempSync(join(tmpdir(), 'several-stacks-'));
const invoked: string[] = [];
const stacks = new Map<Name, LocalStack>();
let api: Simulator;
let account: LocalAccount;
let bus: EventBridgeClient;

/** Stacks of the same template, which settings of their own give another name. */
beforeAll(async () => {
  api = await startSimulator({
    customers: 300,
    organizations: NAMES.map((name) => ({ name, key: KEYS[name] })),
    // The API asks one of them to wait.
    faults: [
      {
        when: { organization: 'dev', page: 1 },
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
  for (const name of NAMES) {
    const context = {
      baseUrl: api.url,
      stackName: name,
      connections: { demo: { schedule: 'rate(1 day)' } },
    };
    await synthesizeStack(context, join(folder, name));
    stacks.set(name, await deploy(name));
  }
  bus = new EventBridgeClient(of('dev').stack.endpoint);
}, TIMEOUT_MS);
afterAll(async () => {
  bus?.destroy();
  for (const stack of stacks.values()) await stack.stop();
  await account?.stop();
  await api?.close();
  rmSync(folder, { recursive: true });
});

function deploy(assembly: string): Promise<LocalStack> {
  return startCheckedStack({ assembly: join(folder, assembly), account, schedules: false });
}

function of(name: Name): { stack: LocalStack; operator: Operator } {
  const stack = stacks.get(name);
  if (stack === undefined) throw new Error(`no stack ${name}`);
  return { stack, operator: operatorOf(stack) };
}

async function request(integration: Name): Promise<void> {
  const Detail = JSON.stringify({ v: 1, integration, connection: 'demo' });
  const entry = { Source: 'customers-functions.requests', DetailType: 'Export Requested', Detail };
  await bus.send(new PutEventsCommand({ Entries: [entry] }));
}

/** Id of the export of which a stack has told that it is complete. */
function completed(name: Name): Promise<string> {
  return until(`an export of ${name}`, () => {
    const found = of(name).stack.events.find(
      ({ event }) =>
        event['detail-type'] === 'Export Completed' && event.detail['integration'] === name,
    );
    return found && String(found.event.detail['exportId']);
  });
}

/** What the alarms of a stack look at: messages in its queues of what failed. */
async function letters(name: Name): Promise<number> {
  const { stack } = of(name);
  const sqs = new SQSClient(stack.endpoint);
  const urls = Object.entries(stack.outputs).filter(([key]) =>
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

const functionsOf = (name: Name) => invoked.filter((each) => each.startsWith(`${name}-`));

test(
  'what is for one stack starts nothing in the other: keys, events, waits and alarms are its own',
  async () => {
    of('dev').operator.storeKey('demo', KEYS.dev);
    await request('dev');
    const exportId = await completed('dev');
    await of('dev').stack.idle();

    expect((await readStored(of('dev').operator, 'demo', exportId)).records).toHaveLength(300);
    expect(functionsOf('dev').length).toBeGreaterThan(0);
    expect(functionsOf('prod')).toEqual([]);
    expect(new Set(of('dev').stack.events.map(({ event }) => event.detail['integration']))).toEqual(
      new Set([undefined, 'dev']), // that of the new key is the service's own
    );

    const waited = checkLog(api.log.entries).throttled;
    of('prod').operator.storeKey('demo', KEYS.prod);
    await request('prod');
    await completed('prod');
    await of('prod').stack.idle();

    const check = checkLog(api.log.entries);
    expect([waited, check.throttled, check.earlyRequests]).toEqual([1, 1, []]);
    expect([await letters('dev'), await letters('prod')]).toEqual([0, 0]);
  },
  TIMEOUT_MS,
);

test(
  'a stack that is deleted is deployed again beside what stayed, and the other stack does not notice',
  async () => {
    const { stack: former, operator } = of('dev');
    const exportId = await completed('dev');
    await expect(deploy('dev')).rejects.toThrow(/^Customers\w+: AWS::\S+ dev\S* already exists$/);
    await former.destroy();
    stacks.set('dev', await deploy('dev'));

    const { stack, operator: again } = of('dev');
    expect((await readStored(operator, 'demo', exportId)).records).toHaveLength(300);
    expect(stack.outputs['KeptTableNames']).not.toBe(former.outputs['KeptTableNames']);
    // The secret is not of the stack: its key is there already.
    const { exportId: next } = await again.start('demo');
    await again.watch('demo', next, ({ status }) => status === 'completed');
    expect((await readStored(again, 'demo', next)).records).toHaveLength(300);
    await of('prod').operator.start('demo');
  },
  TIMEOUT_MS,
);

test(
  'a name that stays with its resource is in the way of the next deployment',
  async () => {
    cpSync(join(folder, 'prod'), join(folder, 'kept'), { recursive: true });
    const [file = ''] = readdirSync(join(folder, 'kept')).filter((name) =>
      name.endsWith('.template.json'),
    );
    const path = join(folder, 'kept', file);
    const template = JSON.parse(readFileSync(path, 'utf8'));
    for (const resource of Object.values(template.Resources)) {
      const { Type } = Object(resource);
      if (Type === 'AWS::Scheduler::ScheduleGroup') {
        Object.assign(Object(resource), { DeletionPolicy: 'Retain' });
      }
    }
    writeFileSync(path, JSON.stringify(template));
    await of('prod').stack.destroy();
    const kept = await deploy('kept');
    await kept.destroy();

    await expect(deploy('kept')).rejects.toThrow(/ScheduleGroup prod-\S+ already exists/);
  },
  TIMEOUT_MS,
);
