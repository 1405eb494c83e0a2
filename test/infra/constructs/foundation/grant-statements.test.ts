import { afterAll, expect, test } from '@jest/globals';
import { App, CfnParameter, type Environment, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  AccountPrincipal,
  ArnPrincipal,
  type IGrantable,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Code, Function as Lambda, Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { CustomersIntegration } from '../../../../infra/constructs/customers-integration.ts';
import { propertiesOf } from '../../synthesized-stack.ts';

const HOME = { account: '111111111111', region: 'eu-central-1' };
const context = { 'aws:cdk:disable-asset-staging': true };

function made(env: Environment = {}, connections = {}): CustomersIntegration {
  const stack = new Stack(new App({ context }), 'Stack', { env });
  const connectionTable = { defaults: { baseUrl: 'https://api.example.com' }, connections };
  return new CustomersIntegration(stack, 'Customers', { connectionTable });
}

function ownIn(stack: Stack, runtime: Runtime = Runtime.NODEJS_24_X): Lambda {
  return new Lambda(stack, 'Own', {
    runtime,
    handler: 'index.handler',
    description: 'Own',
    code: Code.fromInline('exports.handler = () => {}'),
  });
}

/** Another stack of the app. */
function besides({ node }: CustomersIntegration, env: Environment): Stack {
  return new Stack(node.root, 'Elsewhere', { env });
}

test.each([
  ['region', HOME.region, 'us-east-1'],
  ['account', HOME.account, '222222222222'],
])(
  'gives no client to a function of another %s, which would look for the names there',
  (kind, here, there) => {
    const integration = made(HOME);
    const own = ownIn(besides(integration, { ...HOME, [kind]: there }));

    expect(() => integration.grantClient(own)).toThrow(
      `own: expected one in the ${kind} of the stack, ${here}, got ${there}`,
    );
  },
);

test.each([
  [HOME, HOME],
  [{}, {}],
  [{}, HOME],
  [HOME, {}],
])('gives a client to a function of another stack: %j and %j', (env, other) => {
  const integration = made(env);

  expect(() => integration.grantClient(ownIn(besides(integration, other)))).not.toThrow();
});

/** The settings of connections that the function gets. */
function tableIn(own: Lambda): unknown {
  const functions = propertiesOf(Template.fromStack(Stack.of(own)), 'AWS::Lambda::Function');
  const [variables] = functions
    .filter(({ Description }) => Description === 'Own')
    .map(({ Environment }) => Object(Environment).Variables);
  return JSON.parse(variables.CONNECTIONS);
}

const inline = { supportsInlineCode: true };
// The CDK keeps each runtime that was ever made, and cdk-nag takes the newest of them for what functions should have.
const ownRuntimes = Runtime.ALL.length;
afterAll(() => void Runtime.ALL.splice(ownRuntimes));

const named = (name: string, family?: RuntimeFamily) => new Runtime(name, family, inline);

test.each([
  ['nodejs16.x', RuntimeFamily.NODEJS],
  ['nodejs18.x', RuntimeFamily.NODEJS],
  ['nodejs8.10', undefined],
  ['nodejs', RuntimeFamily.NODEJS],
  ['python3.12', RuntimeFamily.PYTHON],
])('gives no client to a function of the runtime %s, which cannot run it', (name, family) => {
  const integration = made();
  const own = ownIn(Stack.of(integration), named(name, family));

  expect(() => integration.grantClient(own)).toThrow(
    `own: expected a function with the runtime nodejs20.x or newer, got ${name}. Set its runtime`,
  );
});

test.each([
  ['nodejs20.x', RuntimeFamily.NODEJS],
  ['nodejs126.x', undefined],
  ['provided.al2023', RuntimeFamily.OTHER],
  ['FROM_IMAGE', undefined],
])('gives a client to a function of the runtime %s, which may run it', (name, family) => {
  const integration = made();
  const own = ownIn(Stack.of(integration), named(name, family));

  expect(() => integration.grantClient(own)).not.toThrow();
});

test('gives a client to a function whose runtime only the deployment knows', () => {
  const integration = made();
  const stack = Stack.of(integration);
  const { valueAsString } = new CfnParameter(stack, 'Runtime');
  const own = ownIn(stack, named(valueAsString, RuntimeFamily.PYTHON));

  expect(() => integration.grantClient(own)).not.toThrow();
});

const CONNECTIONS = {
  one: { baseUrl: 'https://one.example.com' },
  two: { baseUrl: 'https://two.example.com' },
  three: { baseUrl: 'https://three.example.com' },
};
const { one, two } = CONNECTIONS;

test.each<[string, readonly (readonly string[] | undefined)[], unknown]>([
  ['one', [['one', 'unlisted']], { one }],
  ['those of both grants', [['one'], ['two']], { one, two }],
  ['all', [['one'], undefined], CONNECTIONS],
])(
  'a client gets the settings of the connections that it may use: %s',
  (_what, grants, connections) => {
    const integration = made({}, CONNECTIONS);
    const own = ownIn(Stack.of(integration));
    for (const names of grants) integration.grantClient(own, names);

    expect(tableIn(own)).toEqual({ defaults: { baseUrl: 'https://api.example.com' }, connections });
  },
);

test.each([
  ['fit', 1_900, undefined],
  ['do not fit', 2_100, 'connections: with their settings, which grantClient gives it'],
])(
  'the settings of connections %s beside the own variables of a function',
  (_what, length, problem) => {
    const integration = made({}, CONNECTIONS);
    const own = ownIn(Stack.of(integration));
    own.addEnvironment(
      'ADDRESS',
      `https://${integration.store.bucket.bucketName}/${'x'.repeat(1_900)}`,
    );
    integration.grantClient(own, ['one']);
    own.addEnvironment('MORE', 'x'.repeat(length));

    const synth = () => Template.fromStack(Stack.of(own));
    if (problem === undefined) expect(synth).not.toThrow();
    else expect(synth).toThrow(problem);
  },
);

const OTHER_ACCOUNT = 'arn:aws:iam::222222222222:role/reader';

test.each<[string, (stack: Stack) => IGrantable, string]>([
  ['a service', () => new ServicePrincipal('glue.amazonaws.com'), 'expected what has a policy'],
  ['an ARN', () => new ArnPrincipal(OTHER_ACCOUNT), 'expected what has a policy'],
  ['its own account', () => new AccountPrincipal(HOME.account), 'expected what has a policy'],
  [
    'another account',
    () => new AccountPrincipal('222222222222'),
    'expected one in the account of the stack, 111111111111, got 222222222222',
  ],
  [
    'a role of another account',
    (stack) => Role.fromRoleArn(stack, 'Reader', OTHER_ACCOUNT),
    'expected one in the account of the stack, 111111111111, got 222222222222',
  ],
])('grants nothing to %s, which would have no effect', (_what, granteeIn, problem) => {
  const integration = made(HOME);
  const grantee = granteeIn(Stack.of(integration));

  const grants = [
    () => integration.grantRead(grantee),
    () => integration.grantStart(grantee),
    () => integration.grantRequest(grantee),
    () => integration.grantHttpApi(grantee, ['one', 'two']),
  ];
  for (const grant of grants) expect(grant).toThrow(`grantee: ${problem}`);
});

test.each([HOME, {}])(
  'grants to roles that are imported, also where the CDK must not change them: %j',
  (env) => {
    const integration = made(env);
    const arn = `arn:aws:iam::${HOME.account}:role/reader`;
    const roles = [{}, { mutable: false }].map((options, index) =>
      Role.fromRoleArn(integration, `Reader${index}`, arn, options),
    );

    for (const role of roles) expect(integration.grantRead(role).success).toBe(true);
  },
);
