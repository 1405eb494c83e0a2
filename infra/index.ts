/** The package entry `customers-functions/infra`: what your own CDK app is made of. */
export type { ConnectionTable, GivenSettings } from '../functions/services/connection-settings.ts';
export { SettingError } from '../lib/errors.ts';
export { CustomersIntegration } from './constructs/customers-integration.ts';
export type { ExportScheduleOptions } from './constructs/exports/export-schedule.ts';
export type { FoundationProps } from './constructs/foundation/foundation-props.ts';
export type { HttpApiSettings } from './constructs/http-api.ts';
export type { OutputOptions } from './constructs/integration-outputs.ts';
export type { CustomersIntegrationProps } from './constructs/integration-props.ts';
export type { AlarmOptions } from './constructs/operations/alarms.ts';
export { CustomersStack } from './customers-stack.ts';
export { functionBundling } from './function-bundling.ts';
export { type CustomersSettings, customersSettingsOf } from './settings/customers-settings.ts';
export { integrationPropsOf } from './settings/integration-props.ts';
export type { GivenSchedule, NoSchedule, ScheduleSettings } from './settings/schedule-settings.ts';
