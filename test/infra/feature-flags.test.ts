import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import * as v from 'valibot';
import { CustomersIntegration } from '../../infra/constructs/customers-integration.ts';
import { CustomersStack } from '../../infra/customers-stack.ts';
import { flagsOfCdkJson } from './cdk-json.ts';

const root = join(import.meta.dirname, '../..');
const KEY_ARN = 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555';
const operations = [
  { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
] as const;
const settings = {
  baseUrl: 'https://api.example.com',
  connections: { demo: { schedule: 'rate(1 day)' } },
};

test('sets every flag that the CDK recommends, but for one', () => {
  const path = join(root, 'node_modules/aws-cdk-lib/recommended-feature-flags.json');
  const recommended = v.parse(
    v.record(v.string(), v.unknown()),
    JSON.parse(readFileSync(path, 'utf8')),
  );

  expect(flagsOfCdkJson()).toEqual({
    ...recommended,
    // Merged statements read worse, and could be tested only all together.
    '@aws-cdk/aws-iam:minimizePolicies': false,
  });
});

/** A stack whose queues a key of the same app encrypts, or an imported one. */
class KeyStack extends Stack {
  constructor(scope: App, makesKey: boolean) {
    super(scope, 'Stack');
    new CustomersIntegration(this, 'Customers', {
      connectionTable: {
        defaults: { baseUrl: 'https://api.example.com', operations },
        connections: { demo: {} },
      },
      schedule: ScheduleExpression.rate(Duration.days(1)),
      encryptionKey: makesKey ? new Key(this, 'Key') : Key.fromKeyArn(this, 'Key', KEY_ARN),
    });
  }
}

const STACKS: Readonly<Record<string, (app: App) => Stack>> = {
  'as npm start has it': (app) => new CustomersStack(app, 'Stack'),
  'with a key of the app': (app) => new KeyStack(app, true),
  'with an imported key': (app) => new KeyStack(app, false),
};

function templateWith(flags: object, make: (app: App) => Stack): Template {
  const context = {
    ...flags,
    'customers-functions': settings,
    'aws:cdk:disable-asset-staging': true,
  };
  return Template.fromStack(make(new App({ context })));
}

test.each(Object.entries(STACKS))(
  'the flags change nothing, %s: other tests, npm start and other apps have the template that is deployed',
  (_, make) => {
    expect(templateWith(flagsOfCdkJson(), make).toJSON()).toEqual(templateWith({}, make).toJSON());
  },
  180_000,
);

/** What limits a service that acts without a role to what it does for this stack. */
const LIMITS = /"(aws:SourceArn|aws:SourceAccount|kms:EncryptionContext:aws:logs:arn)"/;

test.each(Object.entries(STACKS))(
  'no service may use a queue, a bucket or a key on behalf of another account, %s',
  (_, make) => {
    const { Resources } = templateWith({}, make).toJSON();
    const ofServices = Object.values(Resources)
      .map((each) => Object(each).Properties)
      .flatMap(({ PolicyDocument, KeyPolicy }) => (PolicyDocument ?? KeyPolicy)?.Statement ?? [])
      .filter(({ Effect, Principal }) => Effect === 'Allow' && Principal?.Service !== undefined);

    expect(ofServices.length).toBeGreaterThan(5);
    expect(
      ofServices.filter(({ Condition }) => !LIMITS.test(JSON.stringify(Condition) ?? '')),
    ).toEqual([]);
  },
  180_000,
);
