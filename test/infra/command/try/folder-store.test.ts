import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
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

test('lists whole objects, and reads none but those below the prefix', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'folder-store-'));
  try {
    const store = createFolderStore(folder);
    const { body, about } = storeJson({ exportId: 'newest' });
    const version = await store.put(KEY, body, about);
    const file = join(folder, 'connection=try/list=customers/latest.json');
    await writeFile(`${file}.0123abcd.incomplete`, 'of a run that was killed');
    // More than can be read at once; nothing of it is on the disk.
    const other = join(folder, 'connection=try/list=customers/other');
    await writeFile(other, '');
    await truncate(other, 3 * 2 ** 30);

    expect(await store.list(KEY)).toEqual([{ key: KEY, bytes: body.length, version }]);
    expect(await store.list('exports/connection=none/')).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
