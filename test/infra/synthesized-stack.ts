import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CustomersStack } from '../../infra/customers-stack.ts';

/** The template of the stack for these settings, without copying the code of its functions. */
export function synthesizedStack(settings: unknown): Template {
  const app = new App({
    context: { 'customers-functions': settings, 'aws:cdk:disable-asset-staging': true },
    treeMetadata: false,
  });
  return Template.fromStack(new CustomersStack(app, 'Stack'));
}

/** The properties of all resources of a type. */
export function propertiesOf(template: Template, type: string): Record<string, unknown>[] {
  return Object.values(template.findResources(type)).map(({ Properties }) => Properties);
}
