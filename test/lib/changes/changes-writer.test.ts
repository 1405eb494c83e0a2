import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { ChangesWriter } from '../../../lib/changes/changes-writer.ts';
import { MemoryStore } from '../../faults/memory-store.ts';

test('keeps a copy of a record, and not the piece that was read with it', async () => {
  const memory = new MemoryStore();
  const store = { put: async (...args: Parameters<MemoryStore['put']>) => memory.put(...args) };
  const writer = new ChangesWriter(store, { folder: 'exports/' }, []);
  const piece = Buffer.from('{"id":1}{"id":2}{"id":3}');
  await writer.add('added', '{"record":', piece.subarray(8, 16));
  piece.fill('-');
  await writer.end();

  const [body] = memory.objects.values();
  expect(gunzipSync(body ?? '').toString()).toBe('{"record":{"id":2}}\n');
});
