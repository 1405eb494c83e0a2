import { App, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { checkedProps } from '../../infra/constructs/checked-props.ts';
import { CustomersGrants } from '../../infra/constructs/customers-grants.ts';
import { CustomersIntegration } from '../../infra/constructs/customers-integration.ts';
import { CustomersStack } from '../../infra/customers-stack.ts';
import { CONTEXT_KEY, customersSettingsOf } from '../../infra/settings/customers-settings.ts';
import { integrationPropsOf } from '../../infra/settings/integration-props.ts';
import { TEXT } from './client-doors.ts';
import type { Door } from './walk-door.ts';

const SETTINGS = { baseUrl: 'https://api.example.com' };
const stack = new Stack(new App(), 'Doors');
const connectionTable = { defaults: SETTINGS, connections: {} };
const integration = new CustomersIntegration(stack, 'Customers', { connectionTable });
const grantee = new Role(stack, 'Role', {
  assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
});
const own = new LambdaFunction(stack, 'Own', {
  code: Code.fromInline('-'),
  handler: 'index.handler',
  runtime: Runtime.NODEJS_24_X,
});

const app = new App({ context: { [CONTEXT_KEY]: SETTINGS } });
let made = 0;
const stackIn = (scope: unknown) => {
  made += 1;
  return Reflect.construct(CustomersStack, [scope, `Made${made}`]);
};
const propsIn = (scope: unknown, settings: unknown) => {
  const place = scope === stack ? new Stack(new App(), 'Made') : scope;
  return Reflect.apply(integrationPropsOf, undefined, [place, settings]);
};

const SETTINGS_PLACES = [
  ...['connectionTable', 'connectionTable.defaults', 'connectionTable.defaults.baseUrl'],
  ...['connectionTable.connections', 'schedules', 'listSchedules', 'listSchedules.defaults'],
  'listSchedules.connections',
];

const NO_PROPS = Object.fromEntries(
  [
    ...[
      'integrationId',
      'maxConcurrentExports',
      'secretPrefix',
      'sharesSecrets',
      'bucket',
      'table',
    ],
    ...['eventBus', 'keepExports', 'keepDeleted', 'deletionProtection', 'describeExports'],
    ...['compareExports', 'tables', 'httpApi', 'alarms', 'outputs', 'schedule', 'schedules'],
    ...['listSchedules', 'encryptionKey', 'logRetention', 'keyPatterns', 'vpc', 'vpcSubnets'],
    ...['securityGroups', 'removalPolicy'],
  ].map((name) => [name, undefined]),
);

const GRANTS = [
  ...['grantRead', 'grantQuery', 'grantHttpApi', 'grantListFiles', 'grantListChanges'],
  ...['grantDecideChanges', 'grantCancelExport', 'grantOpenGate'],
];
const grant = (name: string) => ({
  name: `integration.${name}`,
  call: (...args: readonly unknown[]) =>
    Reflect.apply(Reflect.get(integration, name), integration, [...args]),
});

export const INFRA_DOORS: readonly Door[] = [
  {
    name: 'CustomersIntegration',
    types: { props: 'CustomersIntegrationProps' },
    // What its constructor begins with: to make all of it takes a second each time.
    call: checkedProps,
    given: { props: { ...NO_PROPS, connectionTable } },
    needed: [
      ...['props', 'props.connectionTable', 'props.connectionTable.defaults'],
      ...['props.connectionTable.defaults.baseUrl', 'props.connectionTable.connections'],
    ],
    takes: {
      'props.integrationId': ['text'],
      'props.secretPrefix': ['text'],
      'props.sharesSecrets': ['true'],
      'props.deletionProtection': ['true'],
      'props.describeExports': ['true'],
      'props.compareExports': ['true'],
      'props.tables': ['true'],
      'props.httpApi': ['empty object'],
      'props.alarms': ['empty object'],
      'props.outputs': ['empty object'],
      'props.schedules': ['empty object'],
      'props.listSchedules': ['empty object'],
      'props.keyPatterns': ['empty list', 'list'],
      'props.vpcSubnets': ['empty object'],
      'props.securityGroups': ['empty list'],
      'props.connectionTable.connections': ['empty object'],
    },
  },
  { name: 'CustomersStack', call: stackIn, given: { scope: app }, needed: ['scope'] },
  {
    name: 'customersSettingsOf',
    call: customersSettingsOf,
    given: { [CONTEXT_KEY]: SETTINGS },
    needed: [CONTEXT_KEY, `${CONTEXT_KEY}.baseUrl`],
  },
  {
    name: 'integrationPropsOf',
    call: propsIn,
    given: { scope: stack, settings: customersSettingsOf(SETTINGS) },
    needed: ['scope', 'settings', ...SETTINGS_PLACES.map((place) => `settings.${place}`)],
    takes: {
      'settings.connectionTable.defaults': ['empty object'],
      // What is in them is checked where the props are.
      'settings.connectionTable.defaults.baseUrl': ['missing', 'empty text', ...TEXT],
      'settings.connectionTable.connections': ['empty object'],
      'settings.schedules': ['empty object'],
      'settings.listSchedules.defaults': ['empty object'],
      'settings.listSchedules.connections': ['empty object'],
    },
  },
  ...GRANTS.map((name) => ({
    ...grant(name),
    given: { grantee, connections: ['demo'] },
    needed: ['grantee'],
    takes: { connections: ['list'], 'connections.0': ['text'] },
  })),
  ...['grantStart', 'grantRequest'].map((name) => ({
    ...grant(name),
    given: { grantee },
    needed: ['grantee'],
  })),
  {
    ...grant('grantClient'),
    given: { own, connections: ['demo'] },
    needed: ['own'],
    takes: { connections: ['list'], 'connections.0': ['text'] },
  },
];

/** Options of metrics are the CDK's own. */
export const infraObjects = async () => ({ integration: CustomersGrants.prototype });
