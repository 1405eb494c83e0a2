import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { createLedger } from '../../functions/aws/ledger/ledger.ts';
import { LedgerTable } from '../../functions/aws/ledger/ledger-table.ts';
import type { Usage } from '../../infra/local/endpoint/usage.ts';
import type { LocalStack } from '../../infra/local/local-stack.ts';
import { followExport } from '../../infra/local/start/follow-export.ts';
import { parseStartOptions } from '../../infra/local/start/start-options.ts';
import { stackContext, synthesize } from '../../infra/local/start/synthesize.ts';
import { DEMO_KEY } from '../../infra/simulator/options.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { startCheckedStack } from '../infra/local/checked-stack.ts';
import { startSimulatorProcess } from './simulator-process.ts';

/** What one export asked of its worker. */
export interface MeasuredExport {
  readonly state: ExportState;
  /** Largest resident memory of any of the worker's processes, looked at every 50 ms. */
  readonly peakMemoryBytes: number;
  /** `MemorySize` of the worker in the template. */
  readonly configuredMemoryBytes: number;
  /** From the start of the export to its end, without making the stack. */
  readonly wallMs: number;
  readonly invocations: number;
  /** Invocations that ended without an answer, such as out of memory. */
  readonly failures: number;
  /** Of the whole stack, in the units that AWS bills. */
  readonly usage: Usage;
}

export interface MeasureOptions {
  /** Options of `npm run simulator`. @default ['--rate=none'] */
  readonly limit?: readonly string[];
  /** Options of `npm start`. @default [] */
  readonly start?: readonly string[];
  /** Starts the functions beforehand, by an export with a key that the API rejects. @default false */
  readonly isWarm?: boolean;
}

const CONNECTION = 'bench';
const WARM_UP = 'warm-up';
const BYTES_PER_MIB = 1024 * 1024;

const OutputsSchema = v.object({
  LedgerTableName: v.string(),
  StartExportFunctionName: v.string(),
  SecretPrefix: v.string(),
});
const StartedSchema = v.object({ exportId: v.string() });
const TemplateSchema = v.object({
  Resources: v.record(
    v.string(),
    v.looseObject({
      Type: v.string(),
      Properties: v.optional(v.looseObject({ MemorySize: v.optional(v.number()) }), {}),
    }),
  ),
});

/**
 * Runs one export on the stack that is deployed, against a simulated API in a process of its own.
 *
 * @param perPage Records a page, asked for and given.
 * @throws Error with the log line of a function that failed.
 */
export async function measureExport(
  customers: number,
  perPage: number,
  { limit = ['--rate=none'], start = [], isWarm = false }: MeasureOptions = {},
): Promise<MeasuredExport> {
  const args = [...limit, `--customers=${customers}`, `--max-per-page=${perPage}`];
  const api = await startSimulatorProcess(args);
  const assembly = await mkdtemp(join(tmpdir(), 'worker-memory-'));
  try {
    const options = parseStartOptions([
      `--connection=${CONNECTION}`,
      `--per-page=${perPage}`,
      ...start,
    ]);
    if (options === 'help') throw new Error('No option asked for help.');
    const { context } = stackContext(options, { baseUrl: api.url, operations: [] });
    await synthesize(context, assembly, new AbortController().signal);
    const failed = new AbortController();
    const stack = await startCheckedStack({
      assembly,
      environment: { NODE_EXTRA_CA_CERTS: api.ca },
      schedules: false,
      // A failed step would be tried again half an hour later.
      onLog: ({ line }) => {
        if (line.includes('"level":"ERROR"')) failed.abort(new Error(`A function failed: ${line}`));
      },
    });
    try {
      if (isWarm) await exportOn(stack, WARM_UP, 'rejected', failed.signal);
      return await measureOn(stack, await configuredMemoryBytesOf(assembly), failed.signal);
    } finally {
      await stack.stop();
    }
  } finally {
    await api.stop();
    await rm(assembly, { recursive: true, force: true });
  }
}

async function measureOn(
  stack: LocalStack,
  configuredMemoryBytes: number,
  signal: AbortSignal,
): Promise<MeasuredExport> {
  const { state, wallMs } = await exportOn(stack, CONNECTION, DEMO_KEY, signal);
  // The last invocation counts when it has ended, not when the ledger says that the export has.
  await stack.idle();
  const usage = stack.usage();
  const worker = Object.entries(usage.lambda).find(([name]) => isWorker(name, stack));
  if (worker === undefined) throw new Error('The worker was never invoked.');
  const { peakMemoryBytes, invocations, failures } = worker[1];
  return { state, peakMemoryBytes, configuredMemoryBytes, wallMs, invocations, failures, usage };
}

/** Lets the stack export the list of one connection, and waits for its end. */
async function exportOn(
  stack: LocalStack,
  connection: string,
  key: string,
  signal: AbortSignal,
): Promise<{ readonly state: ExportState; readonly wallMs: number }> {
  const outputs = v.parse(OutputsSchema, stack.outputs);
  const ledger = createLedger(
    new LedgerTable(new DynamoDBClient(stack.endpoint), outputs.LedgerTableName),
  );
  stack.putSecret(outputs.SecretPrefix + connection, key);
  // What a new key sets off is no part of an export.
  await stack.idle();
  const startedMs = performance.now();
  const started = await stack.invoke(outputs.StartExportFunctionName, { connection });
  if (started.kind !== 'returned') throw new Error(`The export did not start: ${started.kind}.`);
  const { exportId } = v.parse(StartedSchema, JSON.parse(started.payload));
  const followed = { ledger, writes: stack.tableWrites, connection, exportId };
  const state = await followExport(followed, () => {}, signal).catch((error) =>
    Promise.reject(signal.aborted ? signal.reason : error),
  );
  return { state, wallMs: performance.now() - startedMs };
}

/** The worker's logical id begins with the path of its construct. */
function isWorkerId(logicalId: string): boolean {
  return logicalId.startsWith('CustomersRunExport');
}

function isWorker(functionName: string, stack: LocalStack): boolean {
  return Object.entries(stack.resources).some(
    ([id, { type, name }]) =>
      type === 'AWS::Lambda::Function' && name === functionName && isWorkerId(id),
  );
}

async function configuredMemoryBytesOf(assembly: string): Promise<number> {
  const file = (await readdir(assembly)).find((name) => name.endsWith('.template.json')) ?? '';
  const template = v.parse(
    TemplateSchema,
    JSON.parse(await readFile(join(assembly, file), 'utf8')),
  );
  const worker = Object.entries(template.Resources).find(
    ([id, { Type }]) => Type === 'AWS::Lambda::Function' && isWorkerId(id),
  );
  const memoryMib = worker?.[1].Properties.MemorySize;
  if (memoryMib === undefined) throw new Error('The template has no worker with a MemorySize.');
  return memoryMib * BYTES_PER_MIB;
}
