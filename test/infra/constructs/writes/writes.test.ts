import { beforeAll, expect, test } from '@jest/globals';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { customersSettingsOf } from '../../../../infra/settings/customers-settings.ts';
import { statementsOf } from '../../role-statements.ts';
import { propertiesOf, synthesizedStack } from '../../synthesized-stack.ts';

const create = { name: 'create', method: 'POST', resource: 'customers' };
const operations = [{ ...create, acceptsIdempotencyKey: true }];
const settings = { baseUrl: 'https://api.example.com', connections: { demo: {}, other: {} } };

let template: Template;
let without: Template;
beforeAll(() => {
  template = synthesizedStack({ ...settings, operations });
  without = synthesizedStack(settings);
});

const functionOf = (of: Template, description: RegExp): Record<string, unknown> | undefined =>
  propertiesOf(of, 'AWS::Lambda::Function').find((each) =>
    description.test(String(each['Description'])),
  );
const routesOf = (of: Template) =>
  propertiesOf(of, 'AWS::ApiGatewayV2::Route').map((each) => String(each['RouteKey']));

const arnOf = (id: RegExp) => ({ 'Fn::GetAtt': [expect.stringMatching(id), 'Arn'] });
const QUEUE = /^CustomersWritesQueue[0-9A-F]{8}$/;
const LEDGER = /^CustomersLedgerTable/;

test('without operations there is nothing of writes in the stack', () => {
  expect(JSON.stringify(without.toJSON()).replaceAll('open-writes', '')).not.toMatch(
    /CustomersWrites|WRITE_QUEUE_URL|\/writes|UnclearWrites|Customer Write Requested/,
  );
});

test('one connection with an operation is enough', () => {
  const connections = { demo: {}, other: { operations } };
  const own = synthesizedStack({ ...settings, connections });

  expect(functionOf(own, /^Carries out the writes/)).toBeDefined();
});

test('has a queue of its own whose messages outlast an outage of two hours, and are hidden six times as long as a batch may take', () => {
  const worker = functionOf(template, /^Carries out the writes/);
  const hiddenSeconds = 6 * Number(worker?.['Timeout']);
  template.hasResourceProperties('AWS::SQS::Queue', {
    VisibilityTimeout: hiddenSeconds,
    RedrivePolicy: {
      deadLetterTargetArn: {
        'Fn::GetAtt': [Match.stringLikeRegexp('^CustomersWritesQueueDeadLetterQueue'), 'Arn'],
      },
      maxReceiveCount: 11,
    },
    SqsManagedSseEnabled: true,
  });
  expect(hiddenSeconds * 10).toBeGreaterThanOrEqual(2 * 3600);
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: {
      'Fn::GetAtt': [Match.stringLikeRegexp('^CustomersWritesQueue[0-9A-F]{8}$'), 'Arn'],
    },
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  });
  expect(worker).toMatchObject({ RecursiveLoop: 'Allow' });
});

test('gives a function longer than the longest request may take', () => {
  const slow = synthesizedStack({
    ...settings,
    operations,
    connections: { demo: {}, slow: { deadlineMs: 300_000 } },
  });

  expect(functionOf(slow, /^Carries out/)).toMatchObject({ Timeout: 390 });
  expect(() => synthesizedStack({ ...settings, operations, deadlineMs: 900_000 })).toThrow(
    'deadlineMs: with operations expected at most 810000, got 900000',
  );
});

test('puts events that ask for a write straight into the queue, and keeps those that do not get there', () => {
  template.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      account: [{ Ref: 'AWS::AccountId' }],
      source: ['customers-functions.requests'],
      'detail-type': ['Customer Write Requested'],
      // One that names none comes too, so that its sender hears of it.
      detail: { integration: ['Stack', { exists: false }] },
    },
    Targets: [
      Match.objectLike({
        Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^CustomersWritesQueue[0-9A-F]{8}$'), 'Arn'] },
        DeadLetterConfig: Match.anyValue(),
        InputPath: Match.absent(),
      }),
    ],
  });
});

test('the function of writes is allowed its own things exactly', () => {
  const own = statementsOf(template, /^Carries out the writes/);

  expect(own).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ Action: 'secretsmanager:GetSecretValue' }),
      expect.objectContaining({ Resource: { Ref: expect.stringMatching(/Fingerprint/) } }),
      expect.objectContaining({
        Action: 'sqs:SendMessage',
        Resource: [arnOf(QUEUE), arnOf(/^CustomersWritesQueueDeadLetterQueue/)],
      }),
      expect.objectContaining({ Action: 'events:PutEvents' }),
      expect.objectContaining({
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Resource: arnOf(LEDGER),
      }),
    ]),
  );
  // Its log, and its queue as a source.
  expect(own).toHaveLength(7);
  expect(JSON.stringify(own)).not.toMatch(/s3:|CustomersExports/);
});

test.each([/^Serves the HTTP API/, /^Wakes exports/])(
  'who accepts and wakes writes may send to their queue and look into their index: %s',
  (description) => {
    expect(statementsOf(template, description)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ Action: 'sqs:SendMessage', Resource: arnOf(QUEUE) }),
        expect.objectContaining({
          Action: 'dynamodb:Query',
          Resource: { 'Fn::Join': ['', [arnOf(LEDGER), '/index/open-writes']] },
        }),
      ]),
    );
  },
);

test('the sweep looks into their index without operations too, for exports whose events are not told', () => {
  expect(statementsOf(without, /^Wakes exports/)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        Action: 'dynamodb:Query',
        Resource: { 'Fn::Join': ['', [arnOf(LEDGER), '/index/open-writes']] },
      }),
    ]),
  );
});

test('who carries out and wakes writes may tell the gate of a wait', () => {
  for (const description of [/^Carries out the writes/, /^Wakes exports/]) {
    const updates = statementsOf(template, description).filter((each) =>
      JSON.stringify(each).includes('dynamodb:UpdateItem'),
    );
    expect(updates).toEqual([expect.objectContaining({ Resource: arnOf(LEDGER) })]);
  }
});

test('the functions of exports know nothing of the queue of writes', () => {
  for (const description of [/^Takes pages/, /^Starts an export/]) {
    expect(JSON.stringify(statementsOf(template, description))).not.toContain('CustomersWrites');
    expect(functionOf(template, description)?.['Environment']).not.toHaveProperty(
      'Variables.WRITE_QUEUE_URL',
    );
  }
});

test('declares the routes of writes', () => {
  const writes = routesOf(template).filter((route) => !routesOf(without).includes(route));

  expect(writes.sort()).toEqual([
    'ANY /connections/{connection}/writes',
    'ANY /connections/{connection}/writes/{writeId}',
    'ANY /connections/{connection}/writes/{writeId}/settlement',
    'GET /connections/{connection}/writes',
    'GET /connections/{connection}/writes/{writeId}',
    'POST /connections/{connection}/writes',
    'POST /connections/{connection}/writes/{writeId}/settlement',
  ]);
});

test('wants the HTTP API where operations are declared', () => {
  expect(() => synthesizedStack({ ...settings, operations, httpApi: false })).toThrow(
    'httpApi: expected settings or nothing, since operations are declared',
  );
});

test('tells where writes go', () => {
  expect(Object.keys(template.findOutputs('*'))).toEqual(
    expect.arrayContaining(['WriteQueueUrl', 'WriteDeadLetterQueueUrl']),
  );
});

test('shows writes on the dashboard', () => {
  const body = JSON.stringify(propertiesOf(template, 'AWS::CloudWatch::Dashboard'));

  for (const title of ['Writes by end', 'Writes that wait', 'From accepting a write to its end']) {
    expect(body).toContain(title);
  }
});

test.each<[object, string]>([
  [{ operations: {} }, 'operations: expected a list of operations'],
  [{ operations: [create] }, 'operations[0].acceptsIdempotencyKey: this setting is missing'],
  [
    { operations: [{ ...create, method: 'GET', acceptsIdempotencyKey: false }] },
    'operations[0].method: expected POST, PUT, PATCH or DELETE',
  ],
  [
    { connections: { demo: { operations: [...operations, ...operations] } } },
    'connections.demo.operations[1].name: "create" is the name of an earlier operation',
  ],
  [{ operations, idempotencyKeySeconds: 1 }, 'idempotencyKeySeconds: expected a whole number'],
  [{ operations, maxUnknownChecks: 0 }, 'maxUnknownChecks: expected a whole number from 1 to 100'],
])('refuses the settings %#', (more, message) => {
  expect(() => customersSettingsOf({ ...settings, ...more })).toThrow(
    `customers-functions.${message}`,
  );
});
