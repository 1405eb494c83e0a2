import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { parseSetting } from '../lib/customers-api/parse-options.ts';
import { defined } from '../lib/defined.ts';
import { CustomersIntegration } from './constructs/customers-integration.ts';
import { CONTEXT_KEY, customersSettingsOf } from './settings/customers-settings.ts';
import { integrationPropsOf, ScopeSchema } from './settings/integration-props.ts';

/** The whole integration in one stack, as the context `customers-functions` says. */
export class CustomersStack extends Stack {
  /** @throws SettingError naming the path of a setting that is wrong. */
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    parseSetting(ScopeSchema, scope, 'scope');
    const settings = customersSettingsOf(scope.node.tryGetContext(CONTEXT_KEY));
    const { stackName } = settings;
    super(scope, id, {
      description: 'Exports the customers of a rate-limited API to S3, and carries out writes',
      ...defined({ stackName }),
      ...props,
    });
    const { outputs = { prefix: '' }, ...given } = integrationPropsOf(this, settings);
    new CustomersIntegration(this, 'Customers', { ...given, outputs });
  }
}
