import { beforeAll, expect, test } from '@jest/globals';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { statementsOf, statementsOfRole } from './role-statements.ts';
import { propertiesOf, synthesizedStack } from './synthesized-stack.ts';

let template: Template;
beforeAll(() => {
  template = synthesizedStack({
    baseUrl: 'https://api.example.com',
    connections: { demo: { schedule: 'cron(0 3 * * ? *)' } },
  });
});

const arnOf = (id: RegExp, end?: string) => {
  const arn = { 'Fn::GetAtt': [expect.stringMatching(id), 'Arn'] };
  return end === undefined ? arn : { 'Fn::Join': ['', [arn, end]] };
};
const allowed = (Action: unknown, Resource: unknown) =>
  expect.objectContaining({ Effect: 'Allow', Action, Resource });

const BUCKET = /^CustomersStoreBucket/;
const LEDGER = /^CustomersLedgerTable/;
const readKeys = allowed('secretsmanager:GetSecretValue', {
  'Fn::Join': [
    '',
    [
      'arn:',
      { Ref: 'AWS::Partition' },
      ':secretsmanager:',
      { Ref: 'AWS::Region' },
      ':',
      { Ref: 'AWS::AccountId' },
      ':secret:customers-functions/Stack/*',
    ],
  ],
});
const readFingerprint = allowed('secretsmanager:GetSecretValue', {
  Ref: expect.stringMatching(/^CustomersSecretsFingerprint/),
});
const sendWakeUps = allowed('sqs:SendMessage', arnOf(/^CustomersExportsQueue/));
const sendUndelivered = allowed('sqs:SendMessage', arnOf(/^CustomersUndelivered/));

const sendChanges = allowed('sqs:SendMessage', arnOf(/^CustomersChangesQueue/));
const UNFINISHED = arnOf(BUCKET, '/exports/connection=*/export=*/changes-unfinished/*');
const CHANGES = [
  arnOf(BUCKET, '/exports/connection=*/export=*/changes*.json'),
  arnOf(BUCKET, '/exports/connection=*/export=*/changes-*.ndjson.gz'),
];

/** No event of another application, and no request. */
const publish = {
  Effect: 'Allow',
  Action: 'events:PutEvents',
  Resource: { 'Fn::Join': ['', expect.arrayContaining([':event-bus/default'])] },
  Condition: { StringEquals: { 'events:source': 'customers-functions' } },
};
const writeLog = (log: RegExp) =>
  allowed(['logs:CreateLogStream', 'logs:PutLogEvents'], arnOf(log));
const useLedger = (...verbs: readonly string[]) =>
  allowed(
    verbs.map((verb) => `dynamodb:${verb}`),
    arnOf(LEDGER),
  );

test.each<[string, RegExp, readonly unknown[]]>([
  [
    'worker',
    /^Takes pages/,
    [
      writeLog(/^CustomersRunExportLog/),
      readKeys,
      readFingerprint,
      sendWakeUps,
      publish,
      allowed(['s3:PutObject', 's3:DeleteObject'], arnOf(BUCKET, '/exports/*')),
      // Parts with records that came twice are read, to be stored again without them.
      allowed('s3:GetObject', [
        arnOf(BUCKET, '/exports/connection=*/latest.json'),
        arnOf(BUCKET, '/exports/connection=*/latest-complete.json'),
        arnOf(BUCKET, '/exports/connection=*/export=*/part-*.index'),
        arnOf(BUCKET, '/exports/*/part-*.ndjson.gz'),
        arnOf(BUCKET, '/exports/*/part-*.ndjson.zst'),
      ]),
      allowed('s3:ListBucket', arnOf(BUCKET)),
      allowed(
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        arnOf(/^CustomersExportsQueue/),
      ),
      allowed('sqs:SendMessage', arnOf(/^CustomersExportsDeadLetterQueue/)),
      useLedger('GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
    ],
  ],
  [
    'start',
    /^Starts an export/,
    [
      sendUndelivered,
      writeLog(/^CustomersStartExportLog/),
      readKeys,
      readFingerprint,
      sendWakeUps,
      publish,
      useLedger('GetItem', 'PutItem', 'DeleteItem'),
    ],
  ],
  [
    'sweep',
    /^Wakes exports/,
    [
      sendUndelivered,
      writeLog(/^CustomersSweepFunctionLog/),
      readKeys,
      readFingerprint,
      sendWakeUps,
      publish,
      useLedger('GetItem', 'PutItem', 'DeleteItem'),
      allowed('dynamodb:Query', arnOf(LEDGER, '/index/active-exports')),
      sendChanges,
      allowed('dynamodb:Query', arnOf(LEDGER, '/index/open-writes')),
    ],
  ],
  [
    'description',
    /^Describes what/,
    [
      writeLog(/^CustomersDescriptionsFunctionLog/),
      allowed('s3:GetObject', [
        arnOf(BUCKET, '/exports/*/manifest.json'),
        arnOf(BUCKET, '/exports/*/part-*.ndjson.gz'),
        arnOf(BUCKET, '/exports/*/part-*.ndjson.zst'),
        arnOf(BUCKET, '/exports/connection=*/latest.json'),
        arnOf(BUCKET, '/exports/connection=*/schema.json'),
        arnOf(BUCKET, '/exports/connection=*/schema-unfinished.json'),
        arnOf(BUCKET, '/exports/connection=*/latest-schema.json'),
        arnOf(BUCKET, '/tables/connection=*/export=latest/parts.txt'),
      ]),
      // No part and no manifest.
      allowed('s3:PutObject', [
        arnOf(BUCKET, '/exports/connection=*/schema.json'),
        arnOf(BUCKET, '/exports/connection=*/schema-unfinished.json'),
        arnOf(BUCKET, '/exports/connection=*/latest-schema.json'),
        arnOf(BUCKET, '/tables/*'),
      ]),
      allowed('s3:DeleteObject', arnOf(BUCKET, '/exports/connection=*/schema-unfinished.json')),
      allowed('s3:ListBucket', arnOf(BUCKET)),
      allowed(
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        arnOf(/^CustomersDescriptionsQueue[0-9A-F]/),
      ),
      allowed('sqs:SendMessage', [
        arnOf(/^CustomersDescriptionsQueue[0-9A-F]/),
        arnOf(/^CustomersDescriptionsQueueDeadLetterQueue/),
      ]),
      publish,
      allowed(
        ['s3:GetObject', 's3:PutObject'],
        [...CHANGES, arnOf(BUCKET, '/exports/connection=*/export=*/records-*.index'), UNFINISHED],
      ),
      allowed('s3:DeleteObject', UNFINISHED),
      sendChanges,
      useLedger('GetItem', 'PutItem'),
    ],
  ],
  [
    'function of changes',
    /^Sends an event for each record/,
    [
      writeLog(/^CustomersChangesFunctionLog/),
      // No part: the records are in the files of changes.
      allowed('s3:GetObject', CHANGES),
      allowed('s3:ListBucket', arnOf(BUCKET)),
      allowed(
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        arnOf(/^CustomersChangesQueue[0-9A-F]/),
      ),
      allowed('sqs:SendMessage', [
        arnOf(/^CustomersChangesQueue[0-9A-F]/),
        arnOf(/^CustomersChangesQueueDeadLetterQueue/),
      ]),
      publish,
      useLedger('GetItem', 'PutItem'),
    ],
  ],
  [
    'HTTP API',
    /^Serves the HTTP API/,
    [
      writeLog(/^CustomersHttpApiFunctionLog/),
      sendChanges,
      readKeys,
      readFingerprint,
      sendWakeUps,
      publish,
      useLedger('GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'),
      allowed('dynamodb:Query', arnOf(LEDGER, '/index/export-history')),
    ],
  ],
  [
    'function of files',
    /^Gives URLs/,
    [
      writeLog(/^CustomersHttpApiListFilesLog/),
      allowed('dynamodb:GetItem', arnOf(LEDGER)),
      allowed('s3:GetObject', [
        arnOf(BUCKET, '/exports/*/manifest.json'),
        arnOf(BUCKET, '/exports/*/part-*.ndjson.gz'),
        arnOf(BUCKET, '/exports/*/part-*.ndjson.zst'),
        arnOf(BUCKET, '/exports/connection=*/export=*/schema.json'),
      ]),
      allowed('s3:ListBucket', arnOf(BUCKET)),
    ],
  ],
  [
    'function of changes',
    /^Gives pages of what/,
    [
      writeLog(/^CustomersHttpApiListChangesLog/),
      allowed('dynamodb:GetItem', arnOf(LEDGER)),
      allowed('s3:GetObject', [
        arnOf(BUCKET, '/exports/connection=*/export=*/changes*.json'),
        arnOf(BUCKET, '/exports/connection=*/export=*/changes-*.ndjson.gz'),
      ]),
      allowed('s3:ListBucket', arnOf(BUCKET)),
    ],
  ],
])('the %s is allowed these actions and resources exactly', (_, description, statements) => {
  expect(statementsOf(template, description)).toEqual(statements);
});

test('the function that measures may read which export is the newest, and nothing else', () => {
  expect(statementsOf(template, /^Tells how old/)).toEqual([
    sendUndelivered,
    allowed(['logs:CreateLogStream', 'logs:PutLogEvents'], arnOf(/Measure.*Log/)),
    allowed('s3:GetObject', arnOf(BUCKET, '/exports/connection=*/latest.json')),
    allowed('s3:ListBucket', arnOf(BUCKET)),
    // Names alone, of all secrets: ListSecrets knows no resource.
    allowed('secretsmanager:ListSecrets', '*'),
  ]);
});

test('each function reads keys or lists their names only if its work needs that', () => {
  const all = synthesizedStack({
    baseUrl: 'https://api.example.com',
    schedule: 'rate(1 day)',
    operations: [
      { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
    ],
    encryptionKey: 'arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555',
    secretPrefix: 'team/keys/',
  });
  const described = propertiesOf(all, 'AWS::Lambda::Function').map(({ Description }) =>
    String(Description),
  );
  const found = described.map((description) => {
    const text = statementsOf(all, new RegExp(`^${description}$`))
      .map((each) => JSON.stringify(each))
      // No key, see "is allowed these actions and resources exactly".
      .filter((each) => !each.includes('SecretsFingerprint'));
    const actions = text.flatMap((each) => each.match(/secretsmanager:\w+/g) ?? []);
    const isUnderPrefix = text
      .filter((each) => each.includes('secretsmanager:GetSecretValue'))
      .every((each) => each.includes(':secret:team/keys/*'));
    const decrypts = text.some((each) => each.includes('secretsmanager.'));
    return [description, actions, isUnderPrefix, decrypts] as const;
  });

  const read = [['secretsmanager:GetSecretValue'], true, true] as const;
  const list = [['secretsmanager:ListSecrets'], true, false] as const;
  expect(found.sort()).toEqual([
    ['Carries out the writes that were asked for, each at most once', ...read], // sends requests
    ['Describes what the records of a completed export look like', [], true, false],
    ['Gives URLs by which the files of an export are downloaded', [], true, false],
    ['Gives pages of what exports changed', [], true, false],
    ['Sends an event for each record that changed between two complete exports', [], true, false],
    ['Serves the HTTP API: starts and shows exports, and reads live pages', ...read], // sends requests
    ['Starts an export of a connection, or joins the one that runs', ...read], // is there a key?
    ['Starts the exports of all connections', ...list],
    ['Takes pages of an export and stores them, then requeues it', ...read], // sends requests
    ['Tells how old the newest completed exports are', ...list],
    ['Wakes exports that stand still', ...read], // is there a new key?
  ]);
});

test('every function has a role of its own, for Lambda alone', () => {
  const roles = Object.values(template.findResources('AWS::Lambda::Function')).map(
    ({ Properties }) => Properties.Role['Fn::GetAtt'][0],
  );
  expect(new Set(roles).size).toBe(roles.length);
  const found = template.findResources('AWS::IAM::Role');
  for (const role of roles) {
    expect(found[role]?.['Properties'].AssumeRolePolicyDocument.Statement).toEqual([
      {
        Action: 'sts:AssumeRole',
        Effect: 'Allow',
        Principal: { Service: 'lambda.amazonaws.com' },
      },
    ]);
  }
});

test('schedules may start exports and keep what failed, and only the group of this stack can act so', () => {
  const [[roleId = '', role] = []] = Object.entries(
    template.findResources('AWS::IAM::Role'),
  ).filter(([, each]) => JSON.stringify(each).includes('scheduler.amazonaws.com'));

  expect(statementsOfRole(template, roleId)).toEqual([
    allowed('lambda:InvokeFunction', arnOf(/^CustomersStartExport/)),
    sendUndelivered,
  ]);
  expect(role?.['Properties'].AssumeRolePolicyDocument.Statement).toEqual([
    expect.objectContaining({
      Condition: {
        StringEquals: {
          'aws:SourceAccount': { Ref: 'AWS::AccountId' },
          'aws:SourceArn': expect.anything(),
        },
      },
    }),
  ]);
});

test('masks what looks like a key in every log', () => {
  template.allResourcesProperties('AWS::Logs::LogGroup', {
    DataProtectionPolicy: Match.objectLike({
      Statement: Match.arrayWith([
        Match.objectLike({ Operation: { Deidentify: { MaskConfig: {} } } }),
      ]),
      Configuration: {
        CustomDataIdentifier: [{ Name: 'ApiKey-0', Regex: Match.stringLikeRegexp('Kk') }],
      },
    }),
  });
});

test('uses no managed policy, no broad action and no broad resource', () => {
  template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() });
  const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ PolicyDocument }) =>
    Object(PolicyDocument).Statement.map((statement: unknown) => Object(statement)),
  );
  expect(statements.length).toBeGreaterThan(15);
  for (const { Action, Resource, NotAction, NotResource } of statements) {
    expect([Action].flat().join()).not.toContain('*');
    expect([NotAction, NotResource]).toEqual([undefined, undefined]);
    // Secrets Manager has no resource to narrow this one to (Service Authorization Reference).
    if (Action === 'secretsmanager:ListSecrets') continue;
    expect([Resource].flat()).not.toContain('*');
  }
  const wildcards = statements
    .map(({ Resource }) => JSON.stringify(Resource))
    .filter((text) => text.includes('*') && text !== '"*"');
  // The secrets end in random characters, objects in names of their own.
  for (const text of wildcards) {
    expect(text).toMatch(
      /customers-functions\/Stack\/\*|\/exports\/\*|\/exports\/connection=\*\/(latest|schema|export=\*\/(changes|records-))/,
    );
  }
});

test('every queue encrypts at rest', () => {
  template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
});

test('every bucket encrypts at rest, blocks public access and knows no ACL', () => {
  template.resourceCountIs('AWS::S3::Bucket', 2);
  template.allResources('AWS::S3::Bucket', {
    DeletionPolicy: 'RetainExceptOnCreate',
    Properties: {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
        ],
      },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      AccessControl: Match.absent(),
    },
  });
});

test.each([
  ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'Bucket'],
  ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy', 'Queues'],
])('every %s refuses what comes without TLS', (type, policyType, member) => {
  const policies = Object.values(template.findResources(policyType));
  for (const id of Object.keys(template.findResources(type))) {
    const own = policies.filter(({ Properties }) =>
      JSON.stringify(Properties[member]).includes(`"${id}"`),
    );
    expect(own.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: type === 'AWS::S3::Bucket' ? 's3:*' : 'sqs:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  }
});

test('S3 keeps who accessed exports, and may write that log for this bucket alone', () => {
  template.hasResourceProperties('AWS::S3::Bucket', {
    LoggingConfiguration: {
      DestinationBucketName: { Ref: Match.stringLikeRegexp('AccessLog') },
    },
  });
  template.hasResourceProperties('AWS::S3::BucketPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Allow',
          Principal: { Service: 'logging.s3.amazonaws.com' },
          Action: 's3:PutObject',
          Condition: {
            ArnLike: {
              'aws:SourceArn': { 'Fn::GetAtt': [Match.stringLikeRegexp('StoreBucket'), 'Arn'] },
            },
            StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
          },
        }),
      ]),
    },
  });
});
