import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemRandom } from '../../../../functions/aws/clock-and-random.ts';
import { LedgerTable } from '../../../../functions/aws/ledger/ledger-table.ts';
import { createWriteItems } from '../../../../functions/aws/ledger/write-items.ts';
import type { RequestLogEntry } from '../../../../infra/simulator/request-log.ts';
import { type Simulator, startSimulator } from '../../../../infra/simulator/simulator.ts';
import { createCustomersClient } from '../../../../lib/customers-api/client.ts';
import { defined } from '../../../../lib/defined.ts';
import { successorOf } from '../../../../lib/exports/close-export.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import type { WriteState } from '../../../../lib/writes/write-state.ts';
import { trust } from '../../../trust.ts';
import { until } from '../../../until.ts';
import { startCheckedStack } from '../checked-stack.ts';
import { signedFetch } from '../signed-fetch.ts';
import { shortenWaits, synthesizeStack } from './assembly.ts';
import type { Case } from './key-change.ts';
import { operatorOf } from './operator.ts';
import { readStored } from './stored-export.ts';

/** No customer of any export is one of these. */
const OPERATIONS = [
  { name: 'note', method: 'POST', resource: 'invoices', acceptsIdempotencyKey: false },
];
/** Enough for a step also on a busy machine: one that is ended repeats its requests. */
const STEP_SECONDS = 6;
const LOOK_EVERY_MS = 50;
/** Of a write that nobody changes. The machine may be busy, and a write waits as long as the sweep of others. */
const STANDSTILL_MS = 100_000;

/** What became of an export and a write whose connection got another key. */
export interface Changed {
  /** The export that ran when the key changed. */
  readonly state: ExportState;
  /** The one that has taken its place. */
  readonly successor?: ExportState;
  /** The copy that is complete. */
  readonly records: readonly string[];
  readonly organizationId: string | undefined;
  /** The write that waited. */
  readonly write: WriteState;
  /** Requests since the change for pages that the export had. */
  readonly repeated: readonly Pick<RequestLogEntry, 'keyId' | 'page' | 'at'>[];
  /** Requests of the connection, at both hosts. */
  readonly log: readonly RequestLogEntry[];
  /** The details of a type that are about the connection; an event that was sent twice is there once. */
  readonly events: (detailType: string) => readonly Readonly<Record<string, unknown>>[];
}

/** The whole stack, and two hosts of the API that have the same organizations. */
export async function startOrganizationWorld(cases: readonly Case[]) {
  const folder = mkdtempSync(join(tmpdir(), 'organizations-'));
  const options = {
    organizations: cases.flatMap(({ organizationOptions }) => organizationOptions),
    faults: cases.flatMap(({ faults }) => faults),
    latencyMs: 5,
  };
  const home = await startSimulator(options);
  const elsewhere = await startSimulator({ ...options, faults: [] });
  const hosts: readonly Simulator[] = [home, elsewhere];
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, hosts.map(({ caPem }) => caPem).join(''));
  trust(home.caPem);
  const connections = Object.fromEntries(
    cases.map(({ connection, settings }) => [connection, settings]),
  );
  const assembly = join(folder, 'assembly');
  const settings = { operations: OPERATIONS, describeExports: false, tables: false };
  synthesizeStack({ baseUrl: home.url, ...settings, connections }, assembly);
  shortenWaits(assembly, STEP_SECONDS);
  const stack = await startCheckedStack({
    assembly,
    environment: { NODE_EXTRA_CA_CERTS: caFile },
    schedules: false,
  });
  const operator = operatorOf(stack);
  const dynamodb = new DynamoDBClient(stack.endpoint);
  const table = new LedgerTable(dynamodb, String(stack.outputs['LedgerTableName']));
  const writes = createWriteItems(table, systemRandom);

  const post = async (path: string, body: object): Promise<void> => {
    const url = `${stack.httpApis[0]?.url}/connections/${path}`;
    const isTaken = async () => {
      const answer = await signedFetch(stack.endpoint, url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok && answer.status !== 429) throw new Error(`${path}: ${await answer.text()}`);
      return answer.ok;
    };
    await until(`${path} to be taken`, isTaken, { everyMs: 1_000 });
  };
  const untilWrite = (
    connection: string,
    writeId: string,
    isSo: (state: WriteState) => boolean,
  ): Promise<WriteState> => {
    let state: WriteState | undefined;
    let seenWrites = -1;
    const look = async () => {
      const soFar = stack.tableWrites();
      if (soFar !== seenWrites) state = await writes.readWrite(connection, writeId);
      seenWrites = soFar;
      return state !== undefined && isSo(state) ? state : undefined;
    };
    const limits = { seen: () => state, withinMs: STANDSTILL_MS, everyMs: LOOK_EVERY_MS };
    return until(`write ${writeId} of ${connection}`, look, limits);
  };
  const logOf = ({ organizations }: Case): RequestLogEntry[] =>
    hosts
      .flatMap(({ log }) => log.entries)
      .filter(({ keyId }) =>
        Object.values(organizations).some((name) => keyId.startsWith(`${name}/`)),
      );

  const eventsOf = (connection: string, detailType: string) => {
    const told = stack.events
      .map(({ event }) => event)
      .filter((event) => event['detail-type'] === detailType)
      .map(({ detail }) => detail)
      .filter((detail) => detail['connection'] === connection);
    return [...new Map(told.map((detail) => [detail['id'], detail])).values()];
  };

  /** A write that waits in line behind one about which a person has to decide. */
  const askForWrites = async ({ connection }: Case): Promise<void> => {
    const asked = { operation: 'note', orderKey: 'line' };
    const note = (writeId: string) => ({ ...asked, writeId, body: { reference: writeId } });
    await post(`${connection}/writes`, note('first'));
    await untilWrite(connection, 'first', ({ status }) => status === 'unclear');
    await post(`${connection}/writes`, note('second'));
  };

  const changeKey = async (each: Case): Promise<void> => {
    const { connection, keys, situation, lost } = each;
    if (lost > 0) {
      const client = createCustomersClient({ baseUrl: home.url, key: keys.next });
      const last = home.customersOf(keys.next).slice(-lost);
      await Promise.all(
        last.map((text) =>
          client.write({ method: 'DELETE', resource: `customers/${JSON.parse(text).id}` }),
        ),
      );
    }
    if (situation.pause === 'kill') operator.killWorker();
    const baseUrl = situation.isOtherHost ? elsewhere.url : undefined;
    operator.storeKey(connection, each.secret(keys.next, baseUrl));
    // Running functions would use it for up to a minute.
    if (situation.pause !== 'kill') home.setKeyStatus(keys.former, 'revoked');
  };

  const run = async (each: Case): Promise<Changed> => {
    const { connection, keys, situation } = each;
    operator.storeKey(connection, each.secret(keys.former));
    await askForWrites(each);
    const { exportId } = await operator.start(connection);
    let before = await operator.watch(connection, exportId, (state) => each.isTime(state));
    if (situation.pause === 'halt') {
      home.setKeyStatus(keys.former, 'revoked');
      before = await operator.watch(
        connection,
        exportId,
        ({ status, unannounced }) => status === 'halted' && unannounced.length === 0,
      );
    }
    const sent = new Set(logOf(each));
    await changeKey(each);
    const isOver = ({ status, unannounced }: ExportState) =>
      (status === 'completed' || status === 'failed') && unannounced.length === 0;
    const state = await operator.watch(connection, exportId, isOver);
    const next = successorOf(state);
    const successor =
      next === undefined ? undefined : await operator.watch(connection, next.exportId, isOver);

    // Functions that have read it a moment ago would use it for the write.
    home.setKeyStatus(keys.former, 'revoked');
    const { attempt } = await untilWrite(connection, 'first', () => true);
    await post(`${connection}/writes/first/settlement`, { attempt, decision: 'done' });
    const write = await untilWrite(
      connection,
      'second',
      ({ status, closed }) => closed && (status === 'done' || status === 'unclear'),
    );
    const { records, manifest } = await readStored(
      operator,
      connection,
      (successor ?? state).exportId,
    );
    const repeated = logOf(each).filter(
      (entry) =>
        !sent.has(entry) &&
        entry.status === 200 &&
        entry.method === 'GET' &&
        (entry.page ?? 1) <= before.counters.pages &&
        successor === undefined,
    );
    return {
      state,
      ...(successor === undefined ? {} : { successor }),
      records,
      organizationId: manifest.organizationId,
      write,
      repeated: repeated.map(({ keyId, page, at }) => ({ keyId, ...defined({ page }), at })),
      log: logOf(each),
      events: (detailType) => eventsOf(connection, detailType),
    };
  };

  return {
    run,
    /** What the new key opens. */
    customersOf: ({ keys }: Case) => home.customersOf(keys.next),
    settle: (connection: string, { writeId, attempt }: WriteState, decision: 'retry' | 'drop') =>
      post(`${connection}/writes/${writeId}/settlement`, { attempt, decision }),
    untilWrite,
    logOf,
    close: async () => {
      dynamodb.destroy();
      await stack.stop();
      await Promise.all(hosts.map((host) => host.close()));
      rmSync(folder, { recursive: true });
    },
  };
}
