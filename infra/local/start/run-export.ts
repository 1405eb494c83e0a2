import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { createLedger } from '../../../functions/aws/ledger/ledger.ts';
import { createLedgerTable } from '../../../functions/aws/ledger/ledger-table.ts';
import { SettingError } from '../../../lib/errors.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import type { Manifest } from '../../../lib/exports/manifest.ts';
import { manifestKey } from '../../../lib/exports/store-objects.ts';
import type { LocalStack } from '../local-stack.ts';
import type { ExportedApi } from './demo-api.ts';
import { followExport } from './follow-export.ts';
import { fileOf, PREFIX, storeFile } from './out-folder.ts';
import type { Progress } from './progress.ts';
import type { StartOptions } from './start-options.ts';

const OutputsSchema = v.object({
  ExportBucketName: v.string(),
  LedgerTableName: v.string(),
  StartExportFunctionName: v.string(),
  SecretPrefix: v.string(),
});

const StartedSchema = v.object({ exportId: v.string() });

export interface ExportRun {
  readonly state: ExportState;
  readonly manifest?: { readonly content: Manifest; readonly file: string };
  readonly partFiles: readonly string[];
  /** What the records look like. */
  readonly schemaFile?: string;
}

export interface RunContext {
  readonly stack: LocalStack;
  readonly options: Pick<StartOptions, 'connection' | 'out'>;
  readonly api: ExportedApi;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Stores the key, starts an export as an operator would, watches it to its end and fetches its files. */
export async function runExport(context: RunContext): Promise<ExportRun> {
  const { stack, api, progress, signal } = context;
  const { connection, out } = context.options;
  const outputs = v.parse(OutputsSchema, stack.outputs);
  const table = createLedgerTable(new DynamoDBClient(stack.endpoint), outputs.LedgerTableName);
  const ledger = createLedger(table);

  const secret = JSON.stringify({ apiKey: api.key, baseUrl: api.baseUrl });
  stack.putSecret(outputs.SecretPrefix + connection, secret);
  const started = await stack.invoke(outputs.StartExportFunctionName, { connection });
  if (started.kind === 'failed') {
    const { errorMessage } = started.error;
    throw new SettingError('Start', `the function that starts exports failed: ${errorMessage}`);
  }
  const { exportId } = v.parse(StartedSchema, JSON.parse(started.payload));

  const followed = { ledger, writes: stack.tableWrites, connection, exportId };
  const state = await followExport(followed, progress.show, signal);
  progress.say('Describing the records');
  await untilDescribed(stack, signal);
  progress.say('Copying the files');
  const s3 = new S3Client({ ...stack.endpoint, forcePathStyle: true });
  const files = await copyResults(s3, outputs.ExportBucketName, out);
  const manifestFile = fileOf(out, manifestKey(state));
  if (!files.includes(manifestFile)) return { state, partFiles: [] };
  const content: Manifest = JSON.parse(await readFile(manifestFile, 'utf8'));
  const partFiles = content.parts.map((part) => fileOf(out, part.key));
  const manifest = { content, file: manifestFile };
  const schemaFile = join(dirname(manifestFile), 'schema.json');
  return { state, manifest, partFiles, ...(files.includes(schemaFile) && { schemaFile }) };
}

/** Until nothing is under way any more. Without its report an export is as complete. */
async function untilDescribed(stack: LocalStack, signal: AbortSignal): Promise<void> {
  await Promise.race([stack.idle(), once(signal, 'abort')]);
  signal.throwIfAborted();
}

/**
 * Copies what the export left in the bucket to a folder, the manifests last, as the worker writes them.
 *
 * @returns The files, absolute paths.
 * @throws SettingError naming `--out` when it cannot be written.
 */
async function copyResults(
  client: S3Client,
  bucket: string,
  out: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: PREFIX })) {
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
  }
  const isLast = (key: string) => Number(key.endsWith('.json'));
  const files: string[] = [];
  for (const key of keys.sort((a, b) => isLast(a) - isLast(b))) {
    const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    const file = fileOf(out, key);
    await storeFile(file, (await object.Body?.transformToByteArray()) ?? new Uint8Array());
    files.push(file);
  }
  return files;
}
