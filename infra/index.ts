/** The package entry `customers-functions/infra`: what your own CDK app is made of. */
export type { ConnectionTable, GivenSettings } from '../functions/connection-settings.ts';
export {
  CustomersIntegration,
  type CustomersIntegrationProps,
} from './constructs/customers-integration.ts';
export type { HttpApiSettings } from './constructs/http-api.ts';
export { customersSettingsOf } from './customers-settings.ts';
export { CustomersStack } from './customers-stack.ts';
export type { GivenSchedule, NoSchedule, ScheduleSettings } from './schedule-settings.ts';
