import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import type { Fault } from '../../../../infra/simulator/faults.ts';
import { until } from '../../../until.ts';
import { WRITE_OPERATIONS } from '../../../write-operations.ts';
import { signedFetch } from '../signed-fetch.ts';
import { startStackWorld } from '../stack-world.ts';

export const KEYS = { demo: 'key-of-demo', late: 'key-of-late' } as const;
export const WRONG_KEY = 'key-that-is-wrong';

/** Long, since the machine may be busy; a write that goes well takes a second or two. */
const MAX_LOOK_MS = 60_000;
const run = promisify(execFile);

function seen<T>(what: string, look: () => Promise<T> | T) {
  return until(what, look, { withinMs: MAX_LOOK_MS });
}

/** A text is sent as it is. */
function textOf(value: object | string): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const ViewSchema = v.looseObject({ status: v.string() });

/** The whole stack with operations on this machine, and the simulated API behind it. */
export async function startWritesWorld() {
  const organizations = Object.entries(KEYS).map(([name, key]) => ({ name, key }));
  const world = await startStackWorld(
    { customers: 40, organizations },
    {
      operations: WRITE_OPERATIONS,
      connections: { demo: {}, late: {} },
      // Whoever waits for a write looks at it far more often than most people would.
      httpApi: { requestsPerSecond: 1_000, burst: 1_000 },
    },
  );
  const { api, stack, lines } = world;
  const bus = new EventBridgeClient(stack.endpoint);
  const sqs = new SQSClient(stack.endpoint);
  const urlOf = (connection: string) => `${stack.httpApis[0]?.url}/connections/${connection}`;
  /** Asked for again only when the ledger has changed. */
  const viewOf = (connection: string, writeId: string) => {
    let seenWrites = -1;
    return async (): Promise<unknown> => {
      const writes = stack.tableWrites();
      if (writes === seenWrites) return undefined;
      seenWrites = writes;
      return (await ask(`${urlOf(connection)}/writes/${writeId}`)).body;
    };
  };
  const ask = async (path: string, init?: Parameters<typeof signedFetch>[2]) => {
    const answer = await signedFetch(stack.endpoint, path, init);
    const body: unknown = await answer.json();
    return { status: answer.status, headers: answer.headers, body };
  };

  return {
    api,
    stack,
    lines,
    urlOf,
    /** With a label, so that a write goes on with another key although no record was read before. */
    storeKey: (connection: string, apiKey: string) =>
      stack.putSecret(
        String(stack.outputs['SecretPrefix']) + connection,
        JSON.stringify({ apiKey, organization: connection }),
      ),
    play: (...faults: Fault[]) => api.setFaults(faults),

    request: (
      connection: string,
      write: object | string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = {},
    ) =>
      ask(`${urlOf(connection)}/writes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: write instanceof Uint8Array ? write : textOf(write),
      }),
    listUnclear: (connection: string) => ask(`${urlOf(connection)}/writes?status=unclear`),
    /** Looks at a write until it has this status. */
    until: (connection: string, writeId: string, status: string) => {
      const look = viewOf(connection, writeId);
      return seen(`${writeId} ${status}`, async () => {
        const view = v.safeParse(ViewSchema, await look());
        return view.success && view.output.status === status ? view.output : undefined;
      });
    },
    untilHalted: (connection: string, writeId: string) => {
      const look = viewOf(connection, writeId);
      return seen(`${writeId} halted`, async () => Object(await look()).waitsForKey === true);
    },
    putEvent: (detail: object | string) =>
      bus.send(
        new PutEventsCommand({
          Entries: [
            {
              Source: 'customers-functions.requests',
              DetailType: 'Customer Write Requested',
              Detail: textOf(detail).replace(
                '{',
                `{"integration":"${stack.outputs['IntegrationId']}",`,
              ),
            },
          ],
        }),
      ),
    sendMessage: (body: object | string) =>
      sqs.send(
        new SendMessageCommand({
          QueueUrl: String(stack.outputs['WriteQueueUrl']),
          MessageBody: textOf(body),
        }),
      ),
    /** The detail of the event of this type about a write, as soon as there is one. */
    told: (detailType: string, writeId: string) =>
      seen(`${detailType} of ${writeId}`, () => {
        const found = stack.events.find(
          ({ event }) => event['detail-type'] === detailType && event.detail['writeId'] === writeId,
        );
        return found?.event.detail;
      }),
    /** What the API got of a write that names itself in `reference`: an effect for each time it acted. */
    effectsOf: (reference: string) =>
      api.log.entries.flatMap(({ effect }) => (effect?.reference === reference ? [effect] : [])),
    writesSince: (n: number) =>
      api.log.entries.filter((entry) => entry.n > n && entry.method !== 'GET'),
    /** What a command of the docs writes to stdout. */
    shell: async (command: string, environment: Record<string, string>) => {
      const { stdout } = await run('sh', ['-c', command], {
        env: { ...process.env, ...environment },
      });
      return stdout;
    },
    close: async () => {
      bus.destroy();
      sqs.destroy();
      await world.close();
    },
  };
}
