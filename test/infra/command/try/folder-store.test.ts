import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createFolderStore } from '../../../../infra/command/try/folder-store.ts';
import { storeJson } from '../../../../lib/exports/store-objects.ts';

const KEY = 'exports/connection=try/list=customers/latest.json';

test('replaces an object only in the version that was read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'folder-store-'));
  try {
    const store = createFolderStore(folder);
    const { body, about } = storeJson({ exportId: 'newest' });
    const others = storeJson({ exportId: 'others' });
    const version = await store.put(KEY, others.body, others.about);

    expect(await store.replace(KEY, body, about, 'another')).toBe('changed');
    expect((await store.read(KEY))?.text).toContain('others');
    expect(await store.replace(KEY, body, about, version)).toBe('replaced');
    expect((await store.read(KEY))?.text).toContain('newest');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
