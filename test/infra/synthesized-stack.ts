import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CustomersStack } from '../../infra/customers-stack.ts';

/** The template of the stack for these settings, without the bundles of its functions. */
export function synthesizedStack(settings: unknown): Template {
  const app = new App({
    context: { 'customers-functions': settings, 'aws:cdk:bundling-stacks': [] },
  });
  return Template.fromStack(new CustomersStack(app, 'Stack'));
}
