import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Comparison } from '../../../../infra/local/start/changes-result.ts';
import { type Change, LINE_END, lineHead } from '../../../../lib/changes/change.ts';
import type { ChangesSummary } from '../../../../lib/changes/changes-summary.ts';

/** Gzipped files in a folder of their own, each a row of members as they are stored. */
export function gzipFiles(...files: readonly (readonly string[])[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gzip-files-'));
  const paths = files.map((members, index) => {
    const path = join(folder, `${index}.ndjson.gz`);
    writeFileSync(path, Buffer.concat(members.map((member) => gzipSync(member))));
    return path;
  });
  return { folder, paths };
}

/** The line of a change. */
export function lineOf(change: Change['change'], id: string, members?: readonly string[]): string {
  const at = { key: 'exports/part-1.ndjson.gz', line: 1 };
  const of = { change, id, at, ...(members === undefined ? {} : { members }) };
  return `${lineHead(of)}{"id":${id}}${LINE_END}`;
}

/** Two exports of 100 and 101 records, 3 added, 2 changed and 2 removed. */
export function comparisonOf(own: Partial<ChangesSummary> = {}): Comparison {
  const startedAt = '2026-01-01T00:00:00.000Z';
  const summary: ChangesSummary = {
    version: 1,
    connection: 'acme',
    list: 'customers',
    exportId: 'request-2',
    startedAt,
    endedAt: startedAt,
    since: { exportId: 'request-1', startedAt, manifestKey: 'exports/manifest.json' },
    state: 'found',
    counts: { before: 100, now: 101, added: 3, changed: 2, removed: 2, unchanged: 96 },
    removedPercent: 2,
    maxRemovedPercent: 10,
    files: [],
    ...own,
  };
  const samples = [
    { change: 'added', id: '9007199254740993' },
    { change: 'changed', id: '9007199254740994', members: ['balance', 'version'] },
    { change: 'removed', id: 'sub_0000000001' },
  ] as const;
  const files = ['/out/changes-00001.ndjson.gz'];
  return { summary, summaryFile: '/out/changes.json', files, samples };
}
