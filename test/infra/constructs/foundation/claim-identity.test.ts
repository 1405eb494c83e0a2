import { expect, test } from '@jest/globals';
import { App, NestedStack, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import {
  claimIdentity,
  type Identity,
} from '../../../../infra/constructs/foundation/claim-identity.ts';

const env = { account: '111111111111', region: 'eu-central-1' };

/** Two integrations that have nothing in common but what is given. */
function claimBoth(scopes: readonly [Construct, Construct], one: Partial<Identity>, other = one) {
  const apart = { bucket: undefined, table: undefined, sharesSecrets: false };
  const [a, b] = scopes;
  claimIdentity(new Construct(a, 'One'), {
    ...apart,
    integrationId: 'one',
    secretPrefix: 'one/',
    ...one,
  });
  claimIdentity(new Construct(b, 'Two'), {
    ...apart,
    integrationId: 'two',
    secretPrefix: 'two/',
    ...other,
  });
}

function oneStack(): [Construct, Construct] {
  const stack = new Stack(new App(), 'Stack');
  return [stack, new Construct(stack, 'Inside')];
}

test.each<[string, Partial<Identity>, Partial<Identity>]>([
  ['integrationId', { integrationId: 'same' }, { integrationId: 'same' }],
  ['secretPrefix', { secretPrefix: 'keys/' }, { secretPrefix: 'keys/' }],
  ['secretPrefix', { secretPrefix: 'keys/' }, { secretPrefix: 'keys/second/' }],
  ['secretPrefix', { secretPrefix: 'keys/first/' }, { secretPrefix: 'keys/' }],
  ['bucket', { bucket: 'team-exports' }, { bucket: 'team-exports' }],
  ['table', { table: 'team-ledger' }, { table: 'team-ledger' }],
])('two integrations of a stack do not share what is set by %s: %j', (prop, one, other) => {
  expect(() => claimBoth(oneStack(), one, other)).toThrow(
    new RegExp(`^${prop}: expected one of its own.*another integration.*\\(Stack/One\\)$`),
  );
});

test('two integrations share secrets where one of them says that it is meant', () => {
  const shared = { secretPrefix: 'keys/' };
  expect(() => claimBoth(oneStack(), shared, { ...shared, sharesSecrets: true })).not.toThrow();
  expect(() => claimBoth(oneStack(), { ...shared, sharesSecrets: true }, shared)).not.toThrow();
});

test('stacks are apart by account and region, as far as the app names them; nested ones are not', () => {
  const same = { integrationId: 'same', secretPrefix: 'keys/' };
  const app = () => new App();
  const stacks = (one: object, other: object): [Construct, Construct] => {
    const root = app();
    return [new Stack(root, 'A', one), new Stack(root, 'B', other)];
  };
  const parent = new Stack(app(), 'Parent');

  expect(() => claimBoth(stacks({ env }, { env }), same)).toThrow(/^integrationId: /);
  expect(() => claimBoth([parent, new NestedStack(parent, 'Nested')], same)).toThrow(
    /^integrationId: /,
  );
  for (const other of [{ account: '222222222222' }, { region: 'us-east-1' }]) {
    const elsewhere = { env: { ...env, ...other } };
    expect(() => claimBoth(stacks({ env }, elsewhere), same)).not.toThrow();
  }
  expect(() => claimBoth(stacks({}, {}), same)).not.toThrow();
});
