/**
 * The customers API for tests: over TLS, with limits, faults, moving lists, a log of each request and the truth about
 * its records. See docs/testing.md.
 *
 * @module
 */
export { checkLog, type LogCheck, type LogCheckOptions } from './simulator/check-log.ts';
export type { Fault } from './simulator/faults.ts';
export type { ListHistory, RecordChange } from './simulator/list-history.ts';
export type { ListOrder } from './simulator/list-order.ts';
export type { MetaDialect } from './simulator/meta-dialects.ts';
export {
  DEMO_KEY,
  type KeyStatus,
  type ListChange,
  type ListEdit,
  type LoggedChange,
  type OrganizationOptions,
  type SimulatorOptions,
} from './simulator/options.ts';
export type { RateLimit, RateLimitStep } from './simulator/rate-limit.ts';
export type { RateLimitHeaders } from './simulator/rate-limit-headers.ts';
export type { Effect, RequestLog, RequestLogEntry } from './simulator/request-log.ts';
export type { ResourceName } from './simulator/resources.ts';
export { type Simulator, startSimulator } from './simulator/simulator.ts';
export { trust } from './simulator/trust.ts';
