import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { startLocalAccount } from '../../../infra/local/local-account.ts';
import { StackResources } from '../../../infra/local/stack-resources.ts';
import { StackScope } from '../../../infra/local/template/stack-scope.ts';
import { templateSchema } from '../../../infra/local/template/template.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const baseUrl = 'https://api.example.com';
const operations = [
  { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
];
const encryptionKey =
  'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555';
const vpc = { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-0123456789abcdef0'] };
const topicArn = 'arn:aws:sns:eu-central-1:123456789012:on-call';
const window = {
  expression: 'cron(0 3 ? * MON-FRI *)',
  timezone: 'Europe/Berlin',
  flexibleWindowMinutes: 5,
  start: '2026-01-01T00:00:00Z',
  end: '2027-01-01T00:00:00Z',
};

test.each<[string, object]>([
  ['the least settings', { baseUrl }],
  [
    'neither an HTTP API nor alarms nor tables nor reports',
    {
      baseUrl,
      describeExports: false,
      tables: false,
      httpApi: false,
      alarms: false,
      keyPatterns: false,
      keepDeletedDays: false,
      deletionProtection: false,
    },
  ],
  [
    'all that the stack can make',
    {
      baseUrl,
      operations,
      encryptionKey,
      vpc,
      alarms: { topicArn },
      httpApi: {
        authorization: { issuer: 'https://login.example.com', audience: ['a'] },
        requestsPerSecond: 5,
        burst: 9,
      },
      integrationId: 'Team.North',
      keepDeletedDays: 30,
      keepExportsDays: 7,
      keyPatterns: ['cust_[A-Za-z0-9]{32}'],
      changes: { events: true, withRecord: true, maxRemovedPercent: 5 },
      lists: { invoices: { schedule: 'rate(1 hour)', query: { status: 'all' } }, refunds: {} },
      logRetentionDays: 400,
      maxConcurrentExports: 5,
      removalPolicy: 'destroy',
      schedule: 'rate(1 hour)',
      secretPrefix: 'team/keys/',
    },
  ],
  [
    'all that can be brought',
    {
      baseUrl,
      operations,
      bucket: 'team-exports',
      table: 'team-ledger',
      eventBus: 'team',
      vpc: { ...vpc, securityGroupIds: ['sg-0123456789abcdef0'] },
      connections: {
        demo: { schedule: window, lists: { invoices: { schedule: window }, customers: false } },
        off: { schedule: { ...window, enabled: false } },
      },
    },
  ],
])('a stack with %s is made on this machine', async (_, settings) => {
  const template = v.parse(templateSchema, synthesizedStack(settings).toJSON());
  const refused: string[] = [];
  const account = await startLocalAccount({
    ...{ accountId: '123456789012', region: 'eu-central-1' },
    existing: { buckets: ['team-exports'], eventBuses: ['team'] },
    onDenied: ({ message }) => refused.push(message),
  });
  try {
    const scope = new StackScope(template, {
      ...account.engines.place,
      namePrefix: 'Stack',
    });
    // Functions are not bundled: each gets the files of another.
    const assetDirectories = { get: () => join(import.meta.dirname, 'sample-functions/echo') };
    const { mappings } = await new StackResources(scope, account).make(assetDirectories);

    expect(mappings.length).toBeGreaterThan(0);
    expect(Object.keys(scope.outputs())).toContain('ExportQueueUrl');
    expect(refused).toEqual([]);
  } finally {
    await account.stop();
  }
});
