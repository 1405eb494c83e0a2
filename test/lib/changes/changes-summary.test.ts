import { expect, test } from '@jest/globals';
import {
  type ChangeCounts,
  type ChangesBlock,
  type ChangesFile,
  type ChangesSummary,
  changesFileKey,
  changesSummaryKey,
  parseChangesSummary,
} from '../../../lib/changes/changes-summary.ts';

const FOLDER = 'exports/connection=acme/list=customers/export=b/';
const COUNTS: ChangeCounts = { before: 2, now: 2, added: 1, changed: 0, removed: 1, unchanged: 1 };
const BLOCK: ChangesBlock = [99, 1, 0, 1];
const FILE: ChangesFile = {
  key: changesFileKey(FOLDER, 1, 'a'.repeat(64)),
  bytes: 99,
  sha256: 'a'.repeat(64),
  blocks: [BLOCK],
};
const SUMMARY: ChangesSummary = {
  version: 1,
  connection: 'acme',
  list: 'customers',
  exportId: 'b',
  startedAt: '2026-01-02T00:00:00.000Z',
  endedAt: '2026-01-02T00:01:00.000Z',
  since: {
    exportId: 'a',
    startedAt: '2026-01-01T00:00:00.000Z',
    manifestKey: `${FOLDER}manifest.json`,
  },
  state: 'found',
  counts: COUNTS,
  removedPercent: 50,
  maxRemovedPercent: 100,
  files: [FILE],
};

test('reads what it wrote, and keeps what a later version adds', () => {
  const later = { ...SUMMARY, more: { than: ['this'] } };

  expect(parseChangesSummary(JSON.stringify(later))).toEqual(later);
});

test.each([
  ['nothing', undefined],
  ['what is not JSON', '{'],
  ['another version', JSON.stringify({ ...SUMMARY, version: 2 })],
  [
    'a block without its counts',
    JSON.stringify({ ...SUMMARY, files: [{ ...FILE, blocks: [[99]] }] }),
  ],
])('reads no summary from %s', (_, text) => {
  expect(parseChangesSummary(text)).toBeUndefined();
});

test('stands beside the manifest, named after its content', () => {
  const sha256 = '0123456789abcdef'.repeat(4);
  expect(changesSummaryKey(FOLDER, sha256)).toBe(`${FOLDER}changes-0123456789abcdef.json`);
  const file = `${FOLDER}changes-00012-0123456789abcdef.ndjson.gz`;
  expect(changesFileKey(FOLDER, 12, sha256)).toBe(file);
});
