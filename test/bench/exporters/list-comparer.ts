// Compares two exports that are stored in files, and tells what that cost: as the function that compares exports does,
// or in the obvious way, with all records of both in memory. `describe` and `index` tell what the index costs, which
// the description writes.

import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import * as v from 'valibot';
import { compareRecords } from '../../../lib/changes/compare-records.ts';
import { describePart } from '../../../lib/exports/describe-part.ts';
import { RecordsIndex } from '../../../lib/exports/records-index.ts';
import { recordsIndexKey } from '../../../lib/exports/store-objects.ts';
import {
  folderOf,
  parseManifest,
  type StoredManifest,
} from '../../../lib/exports/stored-manifest.ts';
import type { RecordsReport } from '../../../lib/schema/records-describer.ts';
import { FileStore } from './file-store.ts';
import { peakMemoryBytes } from './task.ts';

const TaskSchema = v.object({
  way: v.picklist(['compare', 'maps', 'describe', 'index']),
  folder: v.string(),
  before: v.string(),
  now: v.string(),
});

const MICROS_PER_MS = 1000;
const LINE_FEED = 0x0a;
const ID = /^\{"id":([^,}]*)/;

const task = v.parse(TaskSchema, JSON.parse(process.argv[2] ?? ''));
const store = new FileStore(task.folder);
const ports = store.ports();
const before = await manifestAt(task.before);
const now = await manifestAt(task.now);
store.gets = 0;
const startedAtMs = performance.now();
const changes = await changesBy(task.way);
const elapsedMs = performance.now() - startedAtMs;
const { user, system } = process.cpuUsage();
const cpuMs = (user + system) / MICROS_PER_MS;
const { puts, gets } = store;
process.stdout.write(
  JSON.stringify({ changes, elapsedMs, cpuMs, peakBytes: peakMemoryBytes(), puts, gets }),
);

function changesBy(way: typeof task.way): Promise<number> {
  if (way === 'compare') return compare();
  return way === 'maps' ? compareInMaps() : describeAll(way === 'index');
}

async function compare(): Promise<number> {
  const folder = folderOf(task.now);
  const compared = await compareRecords(ports, { before, now, idKey: 'id', folder });
  if (compared.kind !== 'compared') throw new Error(compared.kind);
  const work = await ports.store.list(`${folder}changes-unfinished/`);
  await ports.store.delete(work.map(({ key }) => key));
  const { added, changed, removed } = compared.counts;
  return added + changed + removed;
}

/** Reads both exports into maps, and compares them. */
async function compareInMaps(): Promise<number> {
  const old = await recordsOf(before);
  const later = await recordsOf(now);
  let found = 0;
  const linesOf = function* () {
    for (const [id, record] of later) {
      const earlier = old.get(id);
      if (earlier === record) continue;
      found++;
      const change = earlier === undefined ? 'added' : 'changed';
      yield `{"change":"${change}","id":${id},"record":${record}}\n`;
    }
    for (const [id, record] of old) {
      if (later.has(id)) continue;
      found++;
      yield `{"change":"removed","id":${id},"record":${record}}\n`;
    }
  };
  const file = createWriteStream(join(task.folder, 'changes.ndjson.gz'));
  await pipeline(Readable.from(linesOf()), createGzip({ level: constants.Z_BEST_SPEED }), file);
  return found;
}

async function recordsOf({ parts }: StoredManifest): Promise<ReadonlyMap<string, string>> {
  const records = new Map<string, string>();
  for (const { key } of parts) {
    let rest = Buffer.alloc(0);
    await pipeline(createReadStream(join(task.folder, key)), createGunzip(), async (pieces) => {
      for await (const piece of pieces) {
        const bytes = Buffer.concat([rest, piece]);
        let from = 0;
        for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
          const record = bytes.toString('utf8', from, end);
          // JSON.parse would lose the digits of long ids.
          records.set(ID.exec(record)?.[1] ?? '', record);
          from = end + 1;
        }
        rest = bytes.subarray(from);
      }
    });
  }
  return records;
}

async function describeAll(isIndexed: boolean): Promise<number> {
  let report: RecordsReport | undefined;
  for (const [position, part] of now.parts.entries()) {
    const index = isIndexed ? new RecordsIndex('id') : undefined;
    const described = await describePart(part, ports.readStored(part.key), report, index?.add);
    if (described.kind === 'damaged') throw new Error(described.reason);
    report = described.report;
    const finished = index?.finish();
    if (finished === undefined) continue;
    const key = recordsIndexKey(folderOf(task.now), position + 1);
    await ports.store.put(key, finished.body, finished.about);
  }
  return 0;
}

async function manifestAt(key: string): Promise<StoredManifest> {
  const manifest = parseManifest(key, (await ports.store.read(key))?.text ?? '');
  if (manifest === undefined) throw new Error(`${key} is no manifest.`);
  return manifest;
}
