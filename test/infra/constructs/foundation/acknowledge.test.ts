import { expect, test } from '@jest/globals';
import { App, Aws, Fn, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { WildcardStatement } from '../../../../infra/constructs/foundation/acknowledge.ts';
import { addNagPacks } from '../../../../infra/nag.ts';

test.each([
  ['a reference', `arn:aws:s3:::store-${Aws.REGION}`],
  ['an imported value', Fn.importValue('StoreArn')],
  ['a substitution', Fn.sub('arn:aws:s3:::store-#{AWS::Region}'.replace('#', '$'))],
  ['any other function', Fn.select(0, Fn.split(',', Fn.importValue('StoreArns')))],
])('a wildcard behind %s is acknowledged as the rule words it', (_, arn) => {
  const app = new App({ autoSynth: false });
  const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
  const role = new Role(new Stack(app, 'Stack'), 'Role', { assumedBy });
  const resources = [`${arn}/exports/*`];
  const statement = new WildcardStatement({ actions: ['s3:GetObject'], resources }, 'by a test');
  role.addToPolicy(statement);
  statement.acknowledgeIn(role);
  addNagPacks(app);

  expect(() => app.synth()).not.toThrow();
});
