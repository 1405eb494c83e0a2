import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compressionOf } from '../../lib/exports/compression.ts';
import { unpack } from '../../lib/exports/packing.ts';
import { type Exporter, runExporter } from './exporter-process.ts';
import type { Task, Usage } from './exporters/task.ts';
import type { ApiProcess } from './start-api.ts';

/** A list without a limit, and how it is exported. */
export type ListTask = Required<Pick<Task, 'pages' | 'perPage'>> &
  Pick<Task, 'gzipLevel' | 'walk' | 'compression'>;

const LINE_FEED = 0x0a;

/**
 * Lets an exporter export a list once, into a folder of its own.
 *
 * @param processor That it runs on. @default any
 * @throws Error when it fails, or when its files have another number of records.
 */
export async function exportList(
  exporter: Exporter,
  { url: baseUrl, ca }: ApiProcess,
  { pages, perPage, ...more }: ListTask,
  processor?: number,
): Promise<Usage> {
  const folder = await mkdtemp(join(tmpdir(), 'export-list-'));
  try {
    const out = join(folder, 'out');
    await mkdir(out);
    const memory = join(folder, 'memory.json');
    const task = { baseUrl, perPage, out, concurrency: 1, memory, ...more };
    const surroundings = { ca, ...(processor === undefined ? {} : { processor }) };
    const usage = await runExporter(exporter, task, surroundings);
    const [records, expected] = [await countRecords(out), pages * perPage];
    if (records === expected) return usage;
    throw new Error(`${exporter.file} stored ${records} records, expected ${expected}.`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Read piece by piece: a long list is too long for one text. */
async function countRecords(folder: string): Promise<number> {
  let count = 0;
  for (const name of await readdir(folder)) {
    if (!/\.ndjson\.(?:gz|zst)$/.test(name)) continue;
    const stored = createReadStream(join(folder, name));
    for await (const piece of unpack(stored, compressionOf(name))) count += lineFeedsIn(piece);
  }
  return count;
}

function lineFeedsIn(piece: Buffer): number {
  let count = 0;
  for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
