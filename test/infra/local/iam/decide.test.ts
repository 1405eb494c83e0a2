import { expect, test } from '@jest/globals';
import { decide } from '../../../../infra/local/iam/decide.ts';
import type { Caller } from '../../../../infra/local/iam/request.ts';
import { readStatements } from '../../../../infra/local/iam/statement.ts';

const ROLE = 'arn:aws:iam::111122223333:role/worker';
const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:work';
const OBJECT = 'arn:aws:s3:::store/exports/one/part.gz';
const TABLE = 'arn:aws:dynamodb:eu-west-1:111122223333:table/ledger';

const callerOf = (kind: Caller['kind'], name: string, context = {}): Caller => ({
  kind,
  name,
  context,
});
const role = callerOf('role', ROLE);
const events = callerOf('service', 'events.amazonaws.com');

function ask(
  statements: readonly object[],
  action: string,
  resource: string,
  context: Record<string, string> = {},
) {
  const identity = readStatements({ Statement: statements }, 'Policy');
  const caller = callerOf('role', ROLE, context);
  return decide({ identity, resource: [] }, caller, { action, resource }).kind;
}

const allow = (Action: string | string[], Resource: string | string[], more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
const deny = (Action: string, Resource: string) => ({ ...allow(Action, Resource), Effect: 'Deny' });

test.each<[string, object[], string, string, 'allowed' | 'denied']>([
  ['nothing', [], 'sqs:SendMessage', QUEUE, 'denied'],
  [
    'the action and resource',
    [allow('sqs:SendMessage', QUEUE)],
    'sqs:SendMessage',
    QUEUE,
    'allowed',
  ],
  [
    'an action in other case',
    [allow('SQS:sendmessage', QUEUE)],
    'sqs:SendMessage',
    QUEUE,
    'allowed',
  ],
  ['another action', [allow('sqs:ReceiveMessage', QUEUE)], 'sqs:SendMessage', QUEUE, 'denied'],
  ['an action that begins alike', [allow('s3:Get', '*')], 's3:GetObject', OBJECT, 'denied'],
  ['an action with *', [allow('s3:Get*', '*')], 's3:GetObject', OBJECT, 'allowed'],
  ['an action with ?', [allow('s3:?etObject', '*')], 's3:GetObject', OBJECT, 'allowed'],
  ['every action', [allow('*', '*')], 'dynamodb:Query', TABLE, 'allowed'],
  [
    'one of several actions',
    [allow(['s3:PutObject', 's3:GetObject'], '*')],
    's3:GetObject',
    OBJECT,
    'allowed',
  ],
  [
    'a prefix',
    [allow('s3:GetObject', 'arn:aws:s3:::store/exports/*')],
    's3:GetObject',
    OBJECT,
    'allowed',
  ],
  [
    'another prefix',
    [allow('s3:GetObject', 'arn:aws:s3:::store/other/*')],
    's3:GetObject',
    OBJECT,
    'denied',
  ],
  [
    'the bucket alone',
    [allow('s3:GetObject', 'arn:aws:s3:::store')],
    's3:GetObject',
    OBJECT,
    'denied',
  ],
  [
    'a name in other case',
    [allow('sqs:SendMessage', QUEUE.replace('work', 'Work'))],
    'sqs:SendMessage',
    QUEUE,
    'denied',
  ],
  [
    'a name that ends alike',
    [allow('sqs:SendMessage', `${QUEUE}-dead`)],
    'sqs:SendMessage',
    QUEUE,
    'denied',
  ],
  [
    'a wildcard that would reach over a colon',
    [allow('sqs:SendMessage', 'arn:aws:sqs:eu*::work')],
    'sqs:SendMessage',
    QUEUE,
    'denied',
  ],
  [
    'a wildcard in the account',
    [allow('sqs:SendMessage', 'arn:aws:sqs:eu-west-1:*:work')],
    'sqs:SendMessage',
    QUEUE,
    'allowed',
  ],
  [
    'the table, asked for an index',
    [allow('dynamodb:Query', TABLE)],
    'dynamodb:Query',
    `${TABLE}/index/by-time`,
    'denied',
  ],
  [
    'the indexes, asked for one',
    [allow('dynamodb:Query', `${TABLE}/index/*`)],
    'dynamodb:Query',
    `${TABLE}/index/by-time`,
    'allowed',
  ],
  [
    'an ARN for an action without resource',
    [allow('secretsmanager:ListSecrets', QUEUE)],
    'secretsmanager:ListSecrets',
    '*',
    'denied',
  ],
  [
    'a deny beside an allow',
    [allow('*', '*'), deny('s3:*', OBJECT)],
    's3:GetObject',
    OBJECT,
    'denied',
  ],
  [
    'a deny of something else',
    [allow('*', '*'), deny('s3:*', OBJECT)],
    'sqs:SendMessage',
    QUEUE,
    'allowed',
  ],
])('a role with %s', (_, statements, action, resource, expected) => {
  expect(ask(statements, action, resource)).toBe(expected);
});

const SOURCE = 'arn:aws:events:r:1:rule/a';

test.each<[object, Record<string, string>, 'allowed' | 'denied']>([
  [{ StringEquals: { 'aws:SourceAccount': '1' } }, { 'aws:sourceaccount': '1' }, 'allowed'],
  [{ StringEquals: { 'aws:SourceAccount': '1' } }, { 'aws:sourceaccount': '2' }, 'denied'],
  [{ StringEquals: { 'aws:SourceAccount': ['1', '2'] } }, { 'aws:sourceaccount': '2' }, 'allowed'],
  [{ StringEquals: { 'aws:SourceAccount': '1' } }, {}, 'denied'],
  [{ StringEquals: { 'kms:ViaService': 's3' } }, {}, 'denied'],
  [{ Bool: { 'aws:SecureTransport': false } }, { 'aws:securetransport': 'true' }, 'denied'],
  [{ Bool: { 'aws:SecureTransport': 'true' } }, { 'aws:securetransport': 'true' }, 'allowed'],
  [
    { ArnLike: { 'aws:SourceArn': 'arn:aws:events:*:*:rule/*' } },
    { 'aws:sourcearn': SOURCE },
    'allowed',
  ],
  [{ ArnEquals: { 'aws:SourceArn': `${SOURCE}b` } }, { 'aws:sourcearn': SOURCE }, 'denied'],
  [{ ArnEquals: { 'aws:SourceArn': '*' } }, {}, 'denied'],
  [{ Null: { 'lambda:SourceFunctionArn': 'true' } }, {}, 'allowed'],
  [{ Null: { 'lambda:SourceFunctionArn': true } }, { 'lambda:sourcefunctionarn': 'a' }, 'denied'],
  [{ Null: { 'lambda:SourceFunctionArn': 'false' } }, {}, 'denied'],
  [
    { StringEquals: { 'aws:SourceAccount': '1', 'aws:SourceArn': SOURCE } },
    { 'aws:sourceaccount': '1', 'aws:sourcearn': 'other' },
    'denied',
  ],
  [
    { StringEquals: { 'aws:SourceAccount': '1' }, Null: { 'aws:SourceArn': true } },
    { 'aws:sourceaccount': '1' },
    'allowed',
  ],
])('the condition %j with %j is %s', (Condition, context, expected) => {
  expect(ask([allow('*', '*', { Condition })], 'dynamodb:GetItem', TABLE, context)).toBe(expected);
});

test.each<[string, object, Caller, 'allowed' | 'denied']>([
  ['the service', { Service: 'events.amazonaws.com' }, events, 'allowed'],
  ['another service', { Service: 'sns.amazonaws.com' }, events, 'denied'],
  ['a service, asked by a role', { Service: 'events.amazonaws.com' }, role, 'denied'],
  ['everyone', { AWS: '*' }, role, 'allowed'],
])("a resource's policy that lets in %s", (_, named, caller, expected) => {
  const resource = readStatements(
    { Statement: { ...allow('sqs:*', QUEUE), Principal: named } },
    'Policy',
  );
  const request = { action: 'sqs:SendMessage', resource: QUEUE };
  expect(decide({ identity: [], resource }, caller, request).kind).toBe(expected);
});

test("a deny in a resource's policy binds the administrator too", () => {
  const request = { action: 'sqs:SendMessage', resource: QUEUE };
  const administrator = callerOf('administrator', 'root');
  const resource = readStatements(
    { Statement: { ...deny('sqs:*', '*'), Principal: { AWS: '*' } } },
    'Policy',
  );
  expect(decide({ identity: [], resource: [] }, administrator, request).kind).toBe('allowed');
  expect(decide({ identity: [], resource }, administrator, request).kind).toBe('denied');
});

test.each<[object, RegExp]>([
  [allow('s*', '*'), /^Policy, statement 2: Action.0: .*service:Name/],
  [allow('s3:*', 'store/*'), /^Policy, statement 2: Resource.*: a resource is an ARN/],
  [{ Effect: 'Allow', Resource: '*' }, /^Policy, statement 2: Action: /],
  [
    { Effect: 'Allow', NotAction: 's3:*', Resource: '*' },
    /^Policy, statement 2: .*the local stack does not run the property NotAction/,
  ],
  [{ ...allow('*', '*'), Principal: { AWS: ROLE } }, /^Policy, statement 2: Principal/],
  [
    { Effect: 'Allow', Action: '*', Resource: '*', NotPrincipal: '*' },
    /^Policy, statement 2: the local stack does not run the property NotPrincipal/,
  ],
  [
    allow('*', '*', { Sid: 'Late', Condition: { DateLessThan: { 'aws:SourceArn': '2030' } } }),
    /^Policy, statement 2 \(Late\): the local stack cannot decide the condition DateLessThan; it knows StringEquals/,
  ],
  [
    allow('*', '*', { Condition: { toString: { 'aws:SourceArn': 'a' } } }),
    /cannot decide the condition toString; it knows StringEquals/,
  ],
  [
    allow('*', '*', { Condition: { StringEquals: { 'aws:PrincipalTag/team': 'a' } } }),
    /statement 2: the local stack cannot decide the condition aws:PrincipalTag\/team; it knows aws:/,
  ],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable is written like this
    allow('*', 'arn:aws:s3:::store/${aws:username}/*'),
    /statement 2: Resource.*: the local stack does not fill in policy variables/,
  ],
])('a statement that cannot be decided here is named: %j', (statement, message) => {
  expect(() => readStatements({ Statement: [allow('*', '*'), statement] }, 'Policy')).toThrow(
    message,
  );
});
