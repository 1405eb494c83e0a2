import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { changesFrom, storedSummary } from '../../../lib/changes/untold-changes.ts';
import { changeStateOf } from './change-state-of.ts';

const bytes = Buffer.from('{}');
const sha256 = createHash('sha256').update(bytes).digest('hex');
const storeOf = (stored: Uint8Array | undefined) => ({
  store: { readWhole: async () => stored },
});

test.each([
  ['gone', undefined, 'is not there'],
  ['replaced', Buffer.from('{"other":1}'), 'is not as it was written'],
  ['no summary', bytes, 'is no summary'],
])('nothing is told of a summary that is %s', async (_, stored, says) => {
  const state = changeStateOf({ summary: { key: 'changes.json', sha256 } });

  await expect(storedSummary(storeOf(stored), state)).rejects.toMatchObject({
    code: 'CHANGES_DAMAGED',
    message: expect.stringContaining(says),
  });
});

test.each([
  ['gone', undefined],
  ['replaced', Buffer.from('other')],
  ['no gzip', bytes],
])('nothing is told of a file that is %s', async (_, stored) => {
  const file = {
    key: 'changes-00001.ndjson.gz',
    bytes: 2,
    sha256,
    blocks: [[2, 1, 0, 0] as const],
  };
  const read = async () => {
    for await (const _run of changesFrom(storeOf(stored), [file], 0)) throw new Error('told');
  };

  await expect(read()).rejects.toMatchObject({ code: 'CHANGES_DAMAGED' });
});
