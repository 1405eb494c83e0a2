import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { createChangeItems } from '../../../functions/aws/ledger/change-items.ts';
import { createLedger } from '../../../functions/aws/ledger/ledger.ts';
import { LedgerTable } from '../../../functions/aws/ledger/ledger-table.ts';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { parseChangesSummary } from '../../../lib/changes/changes-summary.ts';
import type { ChangeLedger } from '../../../lib/changes/ports.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import type { Manifest } from '../../../lib/exports/manifest.ts';
import { EXPORTS_FOLDER, manifestKey } from '../../../lib/exports/store-objects.ts';
import { CommandError } from '../../command/command-error.ts';
import { fileOf, storeFile } from '../../command-line/out-folder.ts';
import { exportCourse, ledgerPoint } from '../../report/export-course.ts';
import type { LocalStack } from '../local-stack.ts';
import { samplesIn } from './changes-result.ts';
import type { ExportedApi } from './demo-api.ts';
import { type EndedExport, exportTwice } from './export-twice.ts';
import { type FollowedExport, followExport } from './follow-export.ts';
import type { Progress } from './progress.ts';
import type { RunExport } from './run-result.ts';
import type { StartOptions } from './start-options.ts';

const OutputsSchema = v.object({
  ExportBucketName: v.string(),
  LedgerTableName: v.string(),
  StartExportFunctionName: v.string(),
  SecretPrefix: v.string(),
});

const StartedSchema = v.object({ exportId: v.string() });

export interface RunContext {
  readonly stack: LocalStack;
  readonly options: Pick<StartOptions, 'connection' | 'out' | 'changes'>;
  /** What is exported, in this order. */
  readonly lists: readonly string[];
  readonly api: ExportedApi;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Stores the key, starts an export of each list as an operator would, watches them to their ends and fetches
 * their files; with `--changes` twice, to see what changed in between.
 */
export async function runExports(context: RunContext): Promise<readonly RunExport[]> {
  const { stack, api, options, progress } = context;
  const outputs = v.parse(OutputsSchema, stack.outputs);
  const secret = JSON.stringify({ apiKey: api.key, baseUrl: api.baseUrl });
  stack.putSecret(outputs.SecretPrefix + options.connection, secret);
  const s3 = new S3Client({ ...stack.endpoint, forcePathStyle: true });
  const table = new LedgerTable(new DynamoDBClient(stack.endpoint), outputs.LedgerTableName);
  const changes = createChangeItems(table);
  const round = (lists: readonly string[]) => exportOnce(context, outputs, table, lists);
  const ended = options.changes
    ? await exportTwice(context, changes, round)
    : await round(context.lists);
  progress.say('Copying the files');
  const bucket = { s3, name: outputs.ExportBucketName };
  const copied = { out: options.out, files: await copyResults(bucket, options.out) };
  return Promise.all(ended.map((each) => withFiles(each, copied, changes)));
}

/** Until nothing is under way any more. Without its report an export is as complete. */
async function exportOnce(
  context: RunContext,
  outputs: v.InferOutput<typeof OutputsSchema>,
  table: LedgerTable,
  lists: readonly string[],
): Promise<readonly EndedExport[]> {
  const { stack, options, progress, signal } = context;
  const started: StartedExport[] = [];
  for (const list of lists) {
    const call = { connection: options.connection, list };
    const { exportId } = await startExport(stack, outputs.StartExportFunctionName, call);
    started.push({ list, exportId });
  }
  const ended = await followAll(context, createLedger(table), started);
  if (ended.some(({ state }) => state?.status === 'completed')) {
    progress.say('Describing the records');
    await Promise.race([stack.idle(), once(signal, 'abort')]);
    signal.throwIfAborted();
  }
  return ended;
}

type StartedExport = Pick<RunExport, 'list' | 'exportId'>;

async function startExport(
  stack: LocalStack,
  functionName: string,
  call: { readonly connection: string; readonly list: string },
): Promise<{ readonly exportId: string }> {
  const started = await stack.invoke(functionName, call);
  if (started.kind !== 'failed') return v.parse(StartedSchema, JSON.parse(started.payload));
  const { errorMessage } = started.error;
  throw new CommandError(`The function that starts exports failed: ${errorMessage}`);
}

/** They take turns in the order in which they were started; a halted one keeps its turn, so nothing comes after it. */
async function followAll(
  { stack, options: { connection }, progress, signal }: RunContext,
  ledger: FollowedExport['ledger'],
  started: readonly StartedExport[],
): Promise<readonly EndedExport[]> {
  const ended: EndedExport[] = [];
  for (const [index, { list, exportId }] of started.entries()) {
    const followed = { ledger, writes: stack.tableWrites, connection, exportId };
    const turn = { number: index + 1, of: started.length };
    const course = exportCourse(ledgerPoint);
    const show = (seen: ExportState) => {
      course.see(seen);
      progress.show(seen, turn);
    };
    const state = await followExport(followed, show, signal);
    ended.push({ list, exportId, state, course: course.points() });
    if (state.status === 'halted') break;
  }
  return [...ended, ...started.slice(ended.length)];
}

/** Files of the exports, absolute paths. */
interface CopiedFiles {
  readonly out: string;
  readonly files: readonly string[];
}

async function withFiles(
  { earlier, ...last }: EndedExport,
  copied: CopiedFiles,
  changes: Pick<ChangeLedger, 'readChange'>,
): Promise<RunExport> {
  const { out, files } = copied;
  const ended = { ...last, ...(earlier && { earlier: await withFiles(earlier, copied, changes) }) };
  const { state } = ended;
  if (state === undefined) return { ...ended, partFiles: [] };
  const file = fileOf(out, manifestKey(state));
  if (!files.includes(file)) return { ...ended, partFiles: [] };
  const content: Manifest = JSON.parse(await readFile(file, 'utf8'));
  const partFiles = content.parts.map((part) => fileOf(out, part.key));
  const schemaFile = join(dirname(file), 'schema.json');
  const described = files.includes(schemaFile) && { schemaFile };
  const change = await changes.readChange(state.connection, state.exportId);
  const comparison = change && (await comparisonIn(change, copied));
  return { ...ended, manifest: { content, file }, partFiles, ...described, ...comparison };
}

async function comparisonIn(
  { summary: { key } }: ChangeState,
  { out, files }: CopiedFiles,
): Promise<Pick<RunExport, 'comparison'>> {
  const summaryFile = fileOf(out, key);
  if (!files.includes(summaryFile)) return {};
  const summary = parseChangesSummary(await readFile(summaryFile, 'utf8'));
  if (summary === undefined) return {};
  const changes = summary.files.map((each) => fileOf(out, each.key));
  const samples = await samplesIn(changes, summary.counts);
  return { comparison: { summary, summaryFile, files: changes, samples } };
}

/** Indexes are read by the functions alone. */
function isForPeople(key: string): boolean {
  return !key.endsWith('.index');
}

/**
 * Copies what the exports left in the bucket to a folder, the manifests last, as the worker writes them.
 *
 * @returns The files, absolute paths.
 * @throws SettingError naming `--out` when it cannot be written.
 */
async function copyResults(
  { s3, name }: { readonly s3: S3Client; readonly name: string },
  out: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  const about = { Bucket: name, Prefix: EXPORTS_FOLDER };
  for await (const page of paginateListObjectsV2({ client: s3 }, about)) {
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
  }
  const isLast = (key: string) => Number(key.endsWith('.json'));
  const files: string[] = [];
  for (const key of keys.filter(isForPeople).sort((a, b) => isLast(a) - isLast(b))) {
    const object = await s3.send(new GetObjectCommand({ Bucket: name, Key: key }));
    const file = fileOf(out, key);
    await storeFile(file, (await object.Body?.transformToByteArray()) ?? new Uint8Array());
    files.push(file);
  }
  return files;
}
