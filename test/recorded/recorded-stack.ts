import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { until } from '../until.ts';
import { WRITE_OPERATIONS } from '../write-operations.ts';
import { type Fault, signedFetch, startStackWorld } from './product.ts';
import { readable } from './recording.ts';
import type { StoredFile } from './stored-files.ts';

/** Of an hour: nobody waits for it, and a run is far from its end. */
const LONG_WAIT_SECONDS = 3_600;

/** Each connection meets its own faults, so that what happens to one does not depend on the others. */
const CONNECTIONS = {
  demo: { perPage: 9 },
  desk: {},
  rejected: {},
  late: {},
  broken: {},
  patient: {},
  waiting: {},
  throttled: {},
  odd: {},
  slow: { deadlineMs: 300 },
  small: { maxBodyBytes: 300 },
  keyless: {},
  malformed: {},
  elsewhere: { baseUrl: 'https://localhost:2' },
} as const;

export type ConnectionName = keyof typeof CONNECTIONS;

/** What the API answers connection odd. */
export const ODD_ANSWERS: readonly Fault['fault'][] = [
  { kind: 'html' },
  { kind: 'empty-200' },
  { kind: 'json-null' },
  { kind: 'json-empty-object' },
  { kind: 'error-body-200' },
  { kind: 'status', status: 200, body: { first: [{ id: 1 }], second: [{ id: 2 }] } },
  { kind: 'status', status: 500, body: { error: { code: 'out_of_order' } } },
  { kind: 'status', status: 422, body: { error: { code: 'wrong_page' } } },
  { kind: 'redirect', location: 'https://localhost:2/elsewhere' },
  { kind: 'cut-body' },
  { kind: 'reset-before-headers' },
  { kind: 'echo-key', where: 'body' },
];

const FAULTS: readonly Fault[] = [
  { when: { organization: 'broken' }, fault: { kind: 'html' } },
  { when: { organization: 'patient' }, fault: throttle(48 * LONG_WAIT_SECONDS) },
  { when: { organization: 'waiting' }, fault: throttle(LONG_WAIT_SECONDS) },
  { when: { organization: 'throttled' }, fault: throttle(LONG_WAIT_SECONDS) },
  { when: { organization: 'slow' }, fault: { kind: 'silence' } },
];

function throttle(seconds: number): Fault['fault'] {
  return { kind: 'status', status: 429, headers: { 'Retry-After': String(seconds) } };
}

/** Made anew for each request or connection, or of the transport and not of the product. */
const LEFT_OUT = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];

/** What is asked of the HTTP API. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string;
}

/** Long, since the machine may be busy. */
const MAX_LOOK_MS = 30_000;
const MS_BETWEEN_LOOKS = 20;

export const keyOf = (connection: string) => `key-of-${connection}-4711`;

export type RecordedStack = Awaited<ReturnType<typeof startRecordedStack>>;

/** One stack on this machine for all that is recorded of it, with the simulated API behind it. */
export async function startRecordedStack() {
  const names = Object.keys(CONNECTIONS);
  const organizations = names.map((name) => ({ name, key: keyOf(name) }));
  const settings = {
    // One request after the other: how many there are does not depend on how fast they are answered.
    pagesInFlight: 1,
    // So small that a short list has two parts.
    partMaxPages: 50,
    operations: WRITE_OPERATIONS,
    connections: CONNECTIONS,
    httpApi: { requestsPerSecond: 1_000, burst: 1_000 },
  };
  // Whether a sweep falls into the run would depend on the time of the day.
  const options = { schedules: false };
  const world = await startStackWorld(
    { customers: 250, organizations, faults: FAULTS },
    settings,
    options,
  );
  const { api, stack } = world;
  const s3 = new S3Client({ ...stack.endpoint, forcePathStyle: true });
  const Bucket = String(stack.outputs['ExportBucketName']);
  const url = stack.httpApis[0]?.url ?? '';

  /** A request as it went over the wire, and its answer. */
  const ask = async (path: string, { method = 'GET', headers = {}, body }: Asked = {}) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
    const answer = await signedFetch(stack.endpoint, url + path, {
      method,
      headers: { ...type, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    const kept = [...answer.headers].filter(([name]) => !LEFT_OUT.includes(name));
    return {
      request: {
        line: `${method} ${path}`,
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
      },
      status: answer.status,
      headers: Object.fromEntries(kept),
      body: readable(await answer.text()),
    };
  };

  const seen = <T>(what: string, look: () => Promise<T> | T) =>
    until(what, look, { withinMs: MAX_LOOK_MS, everyMs: MS_BETWEEN_LOOKS });

  const toldOf = (connection: string) =>
    stack.events.filter(
      ({ event }) =>
        event.source === 'customers-functions' && event.detail['connection'] === connection,
    );

  const read = async (key: string): Promise<StoredFile> => {
    const object = await s3.send(new GetObjectCommand({ Bucket, Key: key }));
    const bytes = (await object.Body?.transformToByteArray()) ?? [];
    return { name: key, body: Buffer.from(bytes) };
  };

  const storeKey = (connection: string, key = keyOf(connection)) =>
    stack.putSecret(String(stack.outputs['SecretPrefix']) + connection, key);

  return {
    stack,
    api,
    ask,
    seen,
    storeKey,
    /** One after the other: the event of each key wakes the same process of the sweep. */
    storeKeys: async (keys: Partial<Readonly<Record<ConnectionName, string>>>) => {
      for (const [connection, key] of Object.entries(keys)) {
        storeKey(connection, key);
        await stack.idle();
      }
    },
    play: (...faults: readonly Fault[]) => api.setFaults([...faults, ...FAULTS]),

    /** Events of a connection for a recording, oldest first. */
    eventsOf: (connection: ConnectionName) =>
      toldOf(connection).map(({ bus, event }) => ({
        bus,
        source: event.source,
        'detail-type': event['detail-type'],
        resources: event.resources,
        detail: event.detail,
      })),

    /** Waits until an event of this type has left about an export or write, and all that follows is done. */
    told: async (connection: ConnectionName, detailType: string, subject: string) => {
      await seen(`${detailType} of ${subject}`, () =>
        toldOf(connection).find(
          ({ event: { 'detail-type': type, detail } }) =>
            type === detailType && [detail['exportId'], detail['writeId']].includes(subject),
        ),
      );
      await stack.idle();
    },

    /** Every object of the bucket below a prefix. */
    objects: async (prefix: string): Promise<readonly StoredFile[]> => {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: prefix }));
      return Promise.all(Contents.flatMap(({ Key }) => (Key === undefined ? [] : [read(Key)])));
    },

    /** What is told about an object besides its bytes. */
    typeOf: async (key: string) => {
      const object = await s3.send(new GetObjectCommand({ Bucket, Key: key }));
      await object.Body?.transformToByteArray();
      const { ContentType, ContentEncoding, CacheControl, Metadata } = object;
      return { ContentType, ContentEncoding, CacheControl, Metadata };
    },

    /** Invokes the function whose logical id begins like this. */
    invoke: async (beginsWith: string, payload: unknown) => {
      const id = Object.entries(stack.resources).find(
        ([logicalId, { type }]) =>
          logicalId.startsWith(beginsWith) && type === 'AWS::Lambda::Function',
      )?.[0];
      const outcome = await stack.invoke(id ?? beginsWith, payload);
      // A stack shows where the code is, which is no behaviour.
      if (outcome.kind === 'returned') return readable(outcome.payload);
      const { errorType, errorMessage } = outcome.error;
      return { kind: outcome.kind, errorType, errorMessage };
    },

    close: async () => {
      s3.destroy();
      await world.close();
    },
  };
}
