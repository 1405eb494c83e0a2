/** The package entry `customers-functions/lambda`: what your own functions are made of. */

// By their names here a declaration file can tell the type of a handler, also where these packages are not at hand.
export type { MiddyfiedHandler } from '@middy/core';
export type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
export type {
  AddedRecord,
  ChangeDetail,
  ChangedRecord,
  ChangeEvent,
  RecordAddress,
  RecordGone,
  RecordReader,
  RemovedRecord,
} from '../lib/changes/change-event.ts';
export type { EventClaim, EventStore } from '../lib/changes/handle-once.ts';
export { NoZstdError } from '../lib/exports/packing.ts';
export type { GatedClient, LivePageRequest } from '../lib/gate/gated-client.ts';
export type { NotSent } from '../lib/gate/not-sent.ts';
export type { TypedClient } from '../lib/gate/typed-client.ts';
export { AwsCallError } from './aws/call-aws.ts';
export { type DynamoDbEventStoreOptions, dynamoDbEventStore } from './aws/event-store.ts';
export { UnknownConnectionError } from './aws/known-connections.ts';
export { s3RecordReader } from './aws/record-reader.ts';
export type { Answer } from './http/answer.ts';
export { jsonAnswer, jsonTextAnswer, outcomeProblem, problem } from './http/checked-answers.ts';
export type { FailedRead } from './http/outcome-problem.ts';
export type { Problem, ProblemCode, ProblemMembers } from './http/problem.ts';
export type { Fields, Log } from './log/log.ts';
export { parseChangeEvent } from './messages/change-event.ts';
export type { MessageAnswer, ParsedBody } from './messages/message.ts';
export {
  type ClientContext,
  type ClientInternal,
  type ClientsContext,
  type CustomersClientMiddlewareOptions,
  customersClient,
  customersClients,
} from './middleware/customers-client.ts';
export { type EachChangeOptions, eachChange } from './middleware/each-change.ts';
export { eachMessage } from './middleware/each-message.ts';
export { type EventChainOptions, eventChain } from './middleware/event-chain.ts';
export { httpChain } from './middleware/http-chain.ts';
export type { LogContext } from './middleware/invocation-log.ts';
export { type QueueChainOptions, queueChain } from './middleware/queue-chain.ts';
export type { MessageResult, Messages, QueueMessages } from './middleware/queue-messages.ts';
