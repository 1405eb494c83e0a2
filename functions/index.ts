/** The package entry `customers-functions/lambda`: what your own functions are made of. */

export type { NotSent } from '../lib/gate/admitted-connection.ts';
export type { GatedClient, LivePageRequest } from '../lib/gate/gated-client.ts';
export type { TypedClient } from '../lib/gate/typed-client.ts';
export { UnknownConnectionError } from './aws/known-connections.ts';
export { type Answer, jsonAnswer, jsonTextAnswer } from './http/answer.ts';
export { type FailedRead, outcomeProblem } from './http/outcome-problem.ts';
export { type Problem, type ProblemCode, type ProblemMembers, problem } from './http/problem.ts';
export {
  type ClientContext,
  type ClientInternal,
  type ClientsContext,
  type CustomersClientMiddlewareOptions,
  customersClient,
  customersClients,
} from './middleware/customers-client.ts';
export { eachMessage } from './middleware/each-message.ts';
export { httpChain } from './middleware/http-chain.ts';
export type { LogContext } from './middleware/invocation-log.ts';
export type { Fields, Log } from './middleware/log.ts';
export { type QueueChainOptions, queueChain } from './middleware/queue-chain.ts';
export type {
  MessageAnswer,
  MessageResult,
  ParsedBody,
  QueueMessages,
} from './middleware/queue-messages.ts';
