/** The package entry `customers-functions/infra`: what your own CDK app is made of. */
export type { ConnectionTable, GivenSettings } from '../functions/connection-settings.ts';
export type { AlarmOptions } from './constructs/alarms.ts';
export { CustomersIntegration } from './constructs/customers-integration.ts';
export type { ExportScheduleOptions } from './constructs/export-schedule.ts';
export type { FoundationProps } from './constructs/foundation-props.ts';
export type { HttpApiSettings } from './constructs/http-api.ts';
export type { CustomersIntegrationProps } from './constructs/integration-props.ts';
export { type CustomersSettings, customersSettingsOf } from './customers-settings.ts';
export { CustomersStack } from './customers-stack.ts';
export { integrationPropsOf } from './integration-props.ts';
export type { GivenSchedule, NoSchedule, ScheduleSettings } from './schedule-settings.ts';
