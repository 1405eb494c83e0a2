import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Change, type ChangeKind, LINE_END, lineHead } from '../../../lib/changes/change.ts';
import type { ChangesFile } from '../../../lib/changes/changes-summary.ts';

export const sha256 = (body: string | Uint8Array) =>
  createHash('sha256').update(body).digest('hex');

/** A change with the number as its id, beyond what a double holds. */
export function changeOf(change: ChangeKind, number: number, size = 0): Change {
  const id = `9007199254740993${number}`;
  const record = `{"id":${id},"score":1.${number}0,"note":"${'x'.repeat(size)}"}`;
  const at = { key: 'part-00001.ndjson.gz', line: number + 1 };
  const [before, after] = ['0123456789abcdef', 'fedcba9876543210'];
  switch (change) {
    case 'added':
      return { change, id, after, at, record };
    case 'changed':
      return { change, id, members: ['note'], before, after, at, record };
    case 'removed':
      return { change, id, before, at, record };
  }
}

export const lineOf = (change: Change) => `${lineHead(change)}${change.record}${LINE_END}`;

/** Files of blocks as the comparison writes them. @param blocksOfFiles Changes by file and block. */
export function storedChanges(
  blocksOfFiles: readonly (readonly (readonly Change[])[])[],
  folder = '',
) {
  const bodies = new Map<string, Buffer>();
  const files = blocksOfFiles.map((blocksOfFile, index): ChangesFile => {
    const members = blocksOfFile.map((changes) => gzipSync(changes.map(lineOf).join('')));
    const body = Buffer.concat(members);
    const key = `${folder}changes-0000${index + 1}.ndjson.gz`;
    bodies.set(key, body);
    const blocks = blocksOfFile.map((changes, at) => {
      const count = (kind: ChangeKind) => changes.filter(({ change }) => change === kind).length;
      const bytes = members[at]?.length ?? 0;
      return [bytes, count('added'), count('changed'), count('removed')] as const;
    });
    return { key, bytes: body.length, sha256: sha256(body), blocks };
  });
  return { files, bodies };
}
