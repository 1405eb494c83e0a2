// Reads the parts of a list from files, once, and tells what that cost: as the function that describes exports does,
// or by the least that anybody has to do who reads them.
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import * as v from 'valibot';
import { describePart } from '../../../lib/exports/describe-part.ts';
import type { RecordsReport } from '../../../lib/schema/records-describer.ts';
import { peakMemoryBytes } from './task.ts';

const TaskSchema = v.object({
  way: v.picklist(['describe', 'parse']),
  parts: v.array(v.object({ file: v.string(), sha256: v.string(), records: v.number() })),
});

const MICROS_PER_MS = 1000;
const LINE_FEED = 0x0a;
const { way, parts } = v.parse(TaskSchema, JSON.parse(process.argv[2] ?? ''));
const startedAtMs = performance.now();
const [records, reportBytes] = way === 'describe' ? await describeAll() : await parseAll();
const elapsedMs = performance.now() - startedAtMs;
const { user, system } = process.cpuUsage();
const cpuMs = (user + system) / MICROS_PER_MS;
const usage = { records, reportBytes, elapsedMs, cpuMs, peakBytes: peakMemoryBytes() };
process.stdout.write(JSON.stringify(usage));

async function describeAll(): Promise<readonly [number, number]> {
  let report: RecordsReport | undefined;
  for (const { file, sha256, records: customers } of parts) {
    const part = { key: file, sha256, customers, storedBytes: 0 };
    const described = await describePart(part, createReadStream(file), report);
    if (described.kind === 'damaged') throw new Error(described.reason);
    report = described.report;
  }
  return [report?.records ?? 0, JSON.stringify(report).length];
}

async function parseAll(): Promise<readonly [number, number]> {
  let parsed = 0;
  for (const { file } of parts) {
    await pipeline(createReadStream(file), createGunzip(), async (pieces) => {
      const rest: Buffer[] = [];
      for await (const piece of pieces) {
        let from = 0;
        for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, from)) {
          const line = Buffer.concat([...rest.splice(0), piece.subarray(from, end)]);
          JSON.parse(line.toString());
          parsed++;
          from = end + 1;
        }
        rest.push(piece.subarray(from));
      }
    });
  }
  return [parsed, 0];
}
