import { expect, test } from '@jest/globals';
import { App, type Environment, Stack } from 'aws-cdk-lib';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { CustomersIntegration } from '../../../../infra/constructs/customers-integration.ts';

const HOME = { account: '111111111111', region: 'eu-central-1' };
const context = { 'aws:cdk:disable-asset-staging': true };

function made(env: Environment = {}): CustomersIntegration {
  const stack = new Stack(new App({ context }), 'Stack', { env });
  const connectionTable = { defaults: { baseUrl: 'https://api.example.com' }, connections: {} };
  return new CustomersIntegration(stack, 'Customers', { connectionTable });
}

function ownIn(stack: Stack): Lambda {
  return new Lambda(stack, 'Own', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
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
