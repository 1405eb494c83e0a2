export type { ReadRequest } from './customers-api/api-requests.ts';
export type { PageOptions } from './customers-api/ask-page.ts';
export type {
  CheckedListOutcome,
  CheckedPage,
  CheckedReadOutcome,
  CheckedResource,
} from './customers-api/checked-outcome.ts';
export { type CustomersClient, createCustomersClient } from './customers-api/client.ts';
export type { EvidenceName, ListEvidence, MetaKeys } from './customers-api/list-evidence.ts';
export type { LoopOptions, WalkedPage } from './customers-api/list-loop.ts';
export type { ListOptions } from './customers-api/list-options.ts';
export type { Misfit } from './customers-api/misfit.ts';
export type {
  AnswerFacts,
  AuthenticationFailure,
  ListOutcome,
  Page,
  ReadOutcome,
  Refused,
  RefusedReason,
  Resource,
  Throttled,
  Unavailable,
  UnavailableReason,
  Unclear,
  WriteDone,
  WriteOutcome,
} from './customers-api/outcome.ts';
export {
  AuthenticationError,
  ListError,
  RefusedError,
  ThrottledError,
  UnavailableError,
} from './customers-api/outcome-error.ts';
export { parseRetryAfter } from './customers-api/parse-retry-after.ts';
export type { Query } from './customers-api/query.ts';
export type { ResourceList } from './customers-api/resource-list.ts';
export type { CustomersClientOptions } from './customers-api/settings.ts';
export type { StandardSchemaV1 } from './customers-api/standard-schema.ts';
export type { WaitSource } from './customers-api/throttle-wait.ts';
export type { CheckedRecord, TypedRecord, WithSchema } from './customers-api/typed-record.ts';
export type { EndRule } from './customers-api/walks/list-walk-schema.ts';
export type { WalkEnd, WalkProof } from './customers-api/walks/taken.ts';
export type { Walk } from './customers-api/walks/walker.ts';
export type { WriteRequest } from './customers-api/write.ts';
export { CustomersError, type ErrorCode, InvalidKeyError, SettingError } from './errors.ts';
export { ApiKey } from './key/api-key.ts';
export { redactorOf } from './key/checked-redactor.ts';
export type { Redact } from './key/redaction.ts';
export type { Check, ListCheck, Operation, ReadCheck } from './writes/operation.ts';
