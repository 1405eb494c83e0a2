import { expect, test } from '@jest/globals';
import { decide } from '../../../../infra/local/iam/decide.ts';
import type { Principal } from '../../../../infra/local/iam/request.ts';
import { readStatements } from '../../../../infra/local/iam/statement.ts';

const ROLE = 'arn:aws:iam::111122223333:role/worker';
const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:work';
const OBJECT = 'arn:aws:s3:::store/exports/one/part.gz';
const TABLE = 'arn:aws:dynamodb:eu-west-1:111122223333:table/ledger';

const role: Principal = { kind: 'role', arn: ROLE };
const events: Principal = { kind: 'service', name: 'events.amazonaws.com' };

function ask(
  statements: readonly object[],
  action: string,
  resource: string,
  context: Record<string, string[]> = {},
) {
  const identity = readStatements({ Statement: statements }, 'Policy');
  return decide({ identity, resource: [] }, role, { action, resource, context }).kind;
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
  [
    'every action but this',
    [{ Effect: 'Allow', NotAction: 's3:*', Resource: '*' }],
    's3:GetObject',
    OBJECT,
    'denied',
  ],
  [
    'every action but another',
    [{ Effect: 'Allow', NotAction: 's3:*', Resource: '*' }],
    'sqs:SendMessage',
    QUEUE,
    'allowed',
  ],
  [
    'every resource but this',
    [{ Effect: 'Allow', Action: '*', NotResource: QUEUE }],
    'sqs:SendMessage',
    QUEUE,
    'denied',
  ],
  [
    'every resource but another',
    [{ Effect: 'Allow', Action: '*', NotResource: QUEUE }],
    's3:GetObject',
    OBJECT,
    'allowed',
  ],
])('a role with %s', (_, statements, action, resource, expected) => {
  expect(ask(statements, action, resource)).toBe(expected);
});

const keys = (...values: string[]) => ({ 'dynamodb:leadingkeys': values });

test.each<[object, Record<string, string[]>, 'allowed' | 'denied']>([
  [{ StringEquals: { 's3:prefix': 'exports/' } }, { 's3:prefix': ['exports/'] }, 'allowed'],
  [{ StringEquals: { 's3:prefix': 'exports/' } }, { 's3:prefix': ['other/'] }, 'denied'],
  [{ StringEquals: { 's3:prefix': 'exports/' } }, {}, 'denied'],
  [{ StringEqualsIfExists: { 's3:prefix': 'exports/' } }, {}, 'allowed'],
  [{ StringNotEquals: { 's3:prefix': 'exports/' } }, { 's3:prefix': ['other/'] }, 'allowed'],
  [{ StringNotEquals: { 's3:prefix': ['a', 'b'] } }, { 's3:prefix': ['b'] }, 'denied'],
  [{ StringNotEquals: { 's3:prefix': 'exports/' } }, {}, 'allowed'],
  [
    { StringEqualsIgnoreCase: { 'events:source': 'Shop' } },
    { 'events:source': ['shop'] },
    'allowed',
  ],
  [
    { StringLike: { 's3:prefix': ['a/*', 'exports/*'] } },
    { 's3:prefix': ['exports/b'] },
    'allowed',
  ],
  [{ StringNotLike: { 's3:prefix': 'exports/*' } }, { 's3:prefix': ['exports/b'] }, 'denied'],
  [{ Bool: { 'aws:SecureTransport': false } }, { 'aws:securetransport': ['true'] }, 'denied'],
  [{ Bool: { 'aws:SecureTransport': 'true' } }, { 'aws:securetransport': ['true'] }, 'allowed'],
  [
    { ArnLike: { 'aws:SourceArn': 'arn:aws:events:*:*:rule/*' } },
    { 'aws:sourcearn': ['arn:aws:events:r:1:rule/a'] },
    'allowed',
  ],
  [
    { ArnEquals: { 'aws:SourceArn': 'arn:aws:events:r:1:rule/a' } },
    { 'aws:sourcearn': ['arn:aws:events:r:1:rule/b'] },
    'denied',
  ],
  [{ Null: { 's3:prefix': 'true' } }, {}, 'allowed'],
  [{ Null: { 's3:prefix': 'false' } }, {}, 'denied'],
  [
    { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a', 'b'] } },
    keys('a', 'b'),
    'allowed',
  ],
  [
    { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a', 'b'] } },
    keys('a', 'c'),
    'denied',
  ],
  // AWS lets a call without the key pass: such a statement needs a Null condition beside it.
  [{ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a'] } }, {}, 'allowed'],
  [{ 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['a*'] } }, keys('b', 'ab'), 'allowed'],
  [{ 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['a*'] } }, {}, 'denied'],
  [
    { StringEquals: { 's3:prefix': 'a', 's3:delimiter': '/' } },
    { 's3:prefix': ['a'], 's3:delimiter': ['-'] },
    'denied',
  ],
  [
    { StringEquals: { 's3:prefix': 'a' }, Null: { 's3:delimiter': true } },
    { 's3:prefix': ['a'] },
    'allowed',
  ],
])('the condition %j with %j is %s', (Condition, context, expected) => {
  expect(ask([allow('*', '*', { Condition })], 'dynamodb:GetItem', TABLE, context)).toBe(expected);
});

test.each<[string, object, Principal, 'allowed' | 'denied']>([
  ['the service', { Service: 'events.amazonaws.com' }, events, 'allowed'],
  ['another service', { Service: 'sns.amazonaws.com' }, events, 'denied'],
  ['everyone', { AWS: '*' }, role, 'allowed'],
  ['the role', { AWS: ROLE }, role, 'allowed'],
  ['another role', { AWS: `${ROLE}2` }, role, 'denied'],
  [
    'the account, which leaves it to the roles',
    { AWS: 'arn:aws:iam::111122223333:root' },
    role,
    'denied',
  ],
])("a resource's policy that lets in %s", (_, named, principal, expected) => {
  const resource = readStatements(
    { Statement: { ...allow('sqs:*', QUEUE), Principal: named } },
    'Policy',
  );
  const request = { action: 'sqs:SendMessage', resource: QUEUE, context: {} };
  expect(decide({ identity: [], resource }, principal, request).kind).toBe(expected);
});

test("a deny in a resource's policy binds the administrator too", () => {
  const request = { action: 'sqs:SendMessage', resource: QUEUE, context: {} };
  const administrator: Principal = { kind: 'administrator' };
  const resource = readStatements(
    { Statement: { ...deny('sqs:*', '*'), Principal: '*' } },
    'Policy',
  );
  expect(decide({ identity: [], resource: [] }, administrator, request).kind).toBe('allowed');
  expect(decide({ identity: [], resource }, administrator, request).kind).toBe('denied');
});

test.each<[object, RegExp]>([
  [allow('s*', '*'), /^Policy, statement 2: Action.0: .*service:Name/],
  [allow('s3:*', 'store/*'), /^Policy, statement 2: Resource.*: a resource is an ARN/],
  [{ Effect: 'Allow', Resource: '*' }, /^Policy, statement 2: it needs either Action or NotAction/],
  [
    { Effect: 'Allow', Action: '*', Resource: '*', NotPrincipal: '*' },
    /^Policy, statement 2: the local stack does not run the property NotPrincipal/,
  ],
  [
    allow('*', '*', { Sid: 'Late', Condition: { DateLessThan: { 'aws:SourceArn': '2030' } } }),
    /^Policy, statement 2 \(Late\): the local stack does not know the operator DateLessThan/,
  ],
  [
    allow('*', '*', { Condition: { StringEquals: { 'aws:PrincipalTag/team': 'a' } } }),
    /statement 2: the local stack does not know aws:PrincipalTag\/team; it knows aws:/,
  ],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable is written like this
    allow('*', 'arn:aws:s3:::store/${aws:username}/*'),
    /statement 2: the local stack does not fill in policy variables/,
  ],
])('a statement that cannot be decided here is named: %j', (statement, message) => {
  expect(() => readStatements({ Statement: [allow('*', '*'), statement] }, 'Policy')).toThrow(
    message,
  );
});
