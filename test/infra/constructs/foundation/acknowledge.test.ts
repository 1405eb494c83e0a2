import { expect, test } from '@jest/globals';
import { App, Aspects, Aws, CfnResource, Fn, type IAspect, NestedStack, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import {
  acknowledge,
  WildcardStatement,
} from '../../../../infra/constructs/foundation/acknowledge.ts';
import { addNagPacks } from '../../../../infra/nag.ts';

test.each([
  ['a reference', `arn:aws:s3:::store-${Aws.REGION}`],
  ['an imported value', Fn.importValue('StoreArn')],
  ['a substitution', Fn.sub('arn:aws:s3:::store-#{AWS::Region}'.replace('#', '$'))],
  ['any other function', Fn.select(0, Fn.split(',', Fn.importValue('StoreArns')))],
])('a wildcard behind %s is acknowledged as the rule words it', (_, arn) => {
  const app = new App({ autoSynth: false });
  acknowledgeWildcard(new Stack(app, 'Stack'), arn);
  addNagPacks(app);

  expect(() => app.synth()).not.toThrow();
});

test.each([
  ['another stack', (app: App) => new Stack(app, 'Reader')],
  ['the stack around a nested one', (_: App, owner: Stack) => new NestedStack(owner, 'Reader')],
])('a wildcard behind a resource of %s is acknowledged as the template words it', (_, readerOf) => {
  const app = new App({ autoSynth: false });
  const owner = new Stack(app, 'Owner');
  const store = new CfnResource(owner, 'Store', { type: 'Custom::Store' });
  acknowledgeWildcard(readerOf(app, owner), store.getAtt('Arn').toString());
  addNagPacks(app);

  expect(() => app.synth()).not.toThrow();
});

function acknowledgeWildcard(stack: Stack, arn: string): void {
  const role = roleIn(stack);
  const resources = [`${arn}/exports/*`];
  const statement = new WildcardStatement({ actions: ['s3:GetObject'], resources }, 'by a test');
  role.addToPolicy(statement);
  statement.acknowledgeIn(role);
}

function roleIn(stack: Stack): Role {
  return new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
}

/** As the packs of cdk-nag 2: aspects that have this member, and look at metadata. */
class PackOfNag2 implements IAspect {
  readonly readPackName = 'AwsSolutions';
  readonly seen: unknown[] = [];

  visit(node: IConstruct): void {
    if (node instanceof CfnRole) this.seen.push(node.getMetadata('cdk_nag'));
  }
}

test('cdk-nag 2 finds reasons beside those of the owner; without its packs they are not deployed', () => {
  const app = new App();
  const pack = new PackOfNag2();
  const watched = new Stack(app, 'Watched');
  Aspects.of(watched).add(pack);
  const stacks = [watched, new Stack(app, 'Other')];
  for (const stack of stacks) {
    const role = roleIn(stack);
    acknowledge(role, 'AwsSolutions-IAM5[Resource::<Store.Arn>/*]', 'by a test');
    acknowledge(role, 'Serverless-LambdaTracing', 'by a test too');
  }
  const own = { id: 'AwsSolutions-IAM4', reason: 'of the owner' };
  for (const child of watched.node.findAll()) {
    if (child instanceof CfnRole) child.addMetadata('cdk_nag', { rules_to_suppress: [own] });
  }
  const [template, other] = stacks.map((stack) => JSON.stringify(Template.fromStack(stack)));

  expect(pack.seen).toEqual([
    {
      rules_to_suppress: [
        { id: 'AwsSolutions-IAM4', reason: 'of the owner' },
        {
          id: 'AwsSolutions-IAM5',
          reason: 'by a test',
          applies_to: ['Resource::<Store.Arn>/*'],
        },
        { id: 'Serverless-LambdaTracing', reason: 'by a test too' },
      ],
    },
  ]);
  expect(template).toContain('cdk_nag');
  expect(other).not.toContain('cdk_nag');
});
