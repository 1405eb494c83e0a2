import { dynamoDbEventStore } from '../../functions/aws/event-store.ts';
import { s3RecordReader } from '../../functions/aws/record-reader.ts';
import {
  jsonAnswer,
  jsonTextAnswer,
  outcomeProblem,
  problem,
} from '../../functions/http/checked-answers.ts';
import { parseChangeEvent } from '../../functions/messages/change-event.ts';
import { customersClient, customersClients } from '../../functions/middleware/customers-client.ts';
import { eachChange } from '../../functions/middleware/each-change.ts';
import { eachMessage } from '../../functions/middleware/each-message.ts';
import { eventChain } from '../../functions/middleware/event-chain.ts';
import { httpChain } from '../../functions/middleware/http-chain.ts';
import { queueChain } from '../../functions/middleware/queue-chain.ts';
import { lambdaContext } from '../functions/middleware/lambda-context.ts';
import { queryTakes, schema, TEXT } from './client-doors.ts';
import { ADDED, type Door, HOSTILE } from './walk-door.ts';

/** Nothing listens there, so that a call which is not refused ends at once. */
Object.assign(process.env, {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  AWS_MAX_ATTEMPTS: '1',
  AWS_REGION: 'eu-central-1',
  LEDGER_TABLE: 'ledger',
  SECRET_PREFIX: 'customers-api/',
  CONNECTIONS: JSON.stringify({
    defaults: { baseUrl: 'https://api.example.com' },
    connections: { demo: {} },
  }),
});
const NO_JSON = new Set(['NaN', 'bigint', 'symbol', 'function', 'Map', 'Promise', 'getter']);

/** What may have members of any name. */
function free(place: string) {
  return Object.fromEntries(ADDED.map((name) => [`${place}.${name}`, ['added']]));
}

const BEYOND = /AWS_CALL|AwsCall|ECONNREFUSED|could not be|failed/i;

const { signal } = new AbortController();
const handle = async () => 'acknowledge' as const;
const parse = () => ({ kind: 'value', value: 1 }) as const;
const store = dynamoDbEventStore({ tableName: 'events', consumer: 'test' });
const claim = { id: 'event', token: 'token', untilMs: 1_000 };
const readRecord = s3RecordReader();
const typed: Promise<object> = typedClient();

async function typedClient(): Promise<object> {
  const context = lambdaContext();
  const request = { event: {}, context, internal: {} };
  await Reflect.apply(Object(customersClients().before), undefined, [request]);
  return Reflect.get(context, 'customersOf')('demo');
}

const ofTyped = (method: string) => async (asked: unknown) =>
  Reflect.apply(Reflect.get(await typed, method), undefined, [asked]);

/** Each is answered: a message that says nothing is `malformed`. */
const ALL = Object.keys(HOSTILE);
/** Of a whole number as huge as that digits are lost. */
const JSON_VALUES = ALL.filter((label) => !NO_JSON.has(label) && label !== 'huge');
const FREE_HEADERS = { headers: ['empty object'] };
const request = (given: object) => ({ request: given });

export const LAMBDA_DOORS: readonly Door[] = [
  {
    name: 'dynamoDbEventStore',
    types: { options: 'DynamoDbEventStoreOptions' },
    call: dynamoDbEventStore,
    given: { options: { tableName: 'events', consumer: 'test', rememberSeconds: 60 } },
    needed: ['options', 'options.tableName', 'options.consumer'],
    takes: { 'options.tableName': ['text'], 'options.consumer': ['blank', 'control', 'text'] },
  },
  ...Object.entries(store).map(([name, call]) => ({
    name: `store.${name}`,
    types: { claim: 'EventClaim' },
    call,
    given: { claim },
    needed: ['claim', 'claim.id', 'claim.token', 'claim.untilMs'],
    takes: {
      'claim.id': TEXT,
      'claim.token': TEXT,
      'claim.untilMs': ['fraction', 'huge', 'zero'],
    },
    beyond: BEYOND,
  })),
  { name: 's3RecordReader', call: s3RecordReader, given: { options: undefined } },
  {
    name: 'readRecord',
    types: { address: 'RecordAddress' },
    call: readRecord,
    given: { address: { bucket: 'bucket', key: 'part.ndjson.gz', line: 1 } },
    needed: ['address', 'address.bucket', 'address.key', 'address.line'],
    takes: { 'address.bucket': TEXT, 'address.key': TEXT },
    beyond: BEYOND,
  },
  {
    name: 'jsonAnswer',
    call: jsonAnswer,
    given: { statusCode: 200, value: [], headers: {} },
    needed: ['statusCode', 'value'],
    takes: { value: JSON_VALUES, ...FREE_HEADERS },
  },
  {
    name: 'jsonTextAnswer',
    call: jsonTextAnswer,
    given: { statusCode: 200, body: '{}', headers: {} },
    needed: ['statusCode', 'body'],
    takes: { body: ['empty text', ...TEXT], ...FREE_HEADERS },
  },
  {
    name: 'jsonTextAnswer of one header',
    call: (text: string) => jsonTextAnswer(200, '{}', { 'a-header': text }),
    given: { 'a-header': 'b' },
    needed: ['a-header'],
    takes: { 'a-header': ['empty text', 'blank', 'long text', 'text'] },
  },
  {
    name: 'outcomeProblem',
    call: outcomeProblem,
    given: { outcome: { kind: 'throttled', retryAfterSeconds: 1 }, connection: 'demo' },
    needed: ['outcome', 'outcome.kind'],
    takes: { ...free('outcome'), connection: ['empty text', ...TEXT] },
  },
  {
    name: 'problem',
    call: problem,
    given: { code: 'internal', detail: 'text', members: undefined, headers: {} },
    needed: ['code', 'detail'],
    takes: {
      detail: ['empty text', ...TEXT],
      members: ['empty object'],
      ...FREE_HEADERS,
    },
  },
  {
    name: 'parseChangeEvent',
    call: parseChangeEvent,
    given: { event: undefined },
    takes: { event: ALL },
  },
  {
    name: 'customersClient',
    types: { options: 'CustomersClientMiddlewareOptions' },
    call: customersClient,
    given: { options: { connection: 'demo' } },
    needed: ['options', 'options.connection'],
    takes: { 'options.connection': ['text', 'function'] },
  },
  { name: 'customersClients', call: customersClients, given: { options: undefined } },
  {
    name: 'eachChange',
    types: { options: 'EachChangeOptions' },
    call: eachChange,
    given: { options: { store: 'none', readRecord, schema }, handle },
    needed: ['options', 'options.store', 'handle'],
    takes: { 'options.readRecord': ['function'], handle: ['function'] },
  },
  {
    name: 'eachMessage',
    call: eachMessage,
    given: { handle },
    needed: ['handle'],
    takes: { handle: ['function'] },
  },
  {
    name: 'eventChain',
    types: { options: 'EventChainOptions' },
    call: eventChain,
    given: { options: { parse } },
    needed: ['options', 'options.parse'],
    takes: { 'options.parse': ['function'] },
  },
  { name: 'httpChain', call: httpChain, given: { options: undefined } },
  {
    name: 'queueChain',
    types: { options: 'QueueChainOptions' },
    call: queueChain,
    given: {
      options: {
        parse,
        queueUrl: 'https://sqs.example.com/1/a',
        deadLetterQueueUrl: 'https://sqs.example.com/1/b',
        maxRequeueSeconds: 1,
      },
    },
    needed: ['options', 'options.parse', 'options.queueUrl', 'options.deadLetterQueueUrl'],
    takes: { 'options.parse': ['function'] },
  },
  {
    name: 'customers.listPage',
    types: { request: 'LivePageRequest' },
    call: ofTyped('listPage'),
    given: request({
      list: 'customers',
      resource: undefined,
      query: { a: 1 },
      page: 1,
      perPage: 1,
      signal,
      schema,
    }),
    needed: ['request', 'request.page'],
    takes: { ...queryTakes('request.query', 'a'), 'request.page': ['zero'] },
    beyond: BEYOND,
  },
  {
    name: 'customers.read',
    call: ofTyped('read'),
    given: request({ resource: 'customers/1', query: { a: 1 }, signal, schema }),
    needed: ['request', 'request.resource'],
    takes: { ...queryTakes('request.query', 'a'), 'request.resource': ['empty text', ...TEXT] },
    beyond: BEYOND,
  },
  {
    name: 'customers.write',
    call: ofTyped('write'),
    given: request({ method: 'DELETE', resource: 'customers/1', idempotencyKey: 'a', signal }),
    needed: ['request', 'request.method', 'request.resource'],
    takes: { 'request.resource': ['empty text', ...TEXT], 'request.idempotencyKey': ['text'] },
    beyond: BEYOND,
  },
];

/** What is given back and called: each of its methods is a door. */
export const lambdaObjects = async () => ({ store, customers: await typed });
