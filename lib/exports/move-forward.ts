import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';
import { timestamp } from '../stored-text.ts';
import type { Latest } from './manifest.ts';
import type { ObjectAbout, Store, StoredText } from './ports.ts';
import { latestCompleteKey, latestKey, storeJson } from './store-objects.ts';

const PointerSchema = v.object({
  exportId: v.string(),
  startedAt: timestamp,
});

/** An object that names the newest export of something. */
type Pointer = v.InferOutput<typeof PointerSchema>;

/** `undefined` for none, and for what cannot be read. */
export function parsePointer(stored: StoredText | undefined): Pointer | undefined {
  const pointer = v.safeParse(PointerSchema, parseJson(stored?.text));
  return pointer.success ? pointer.output : undefined;
}

/** More concurrent writers than this are unlikely: the store then ignores the condition of the write. */
const MAX_TRIES = 5;

/**
 * Replaces an object by one conditional write, again where another worker was first.
 *
 * @param mayReplace Asked of what is there, each time anew.
 */
export async function replacePointer(
  store: Pick<Store, 'read' | 'replace'>,
  key: string,
  { body, about }: { readonly body: Uint8Array; readonly about: ObjectAbout },
  mayReplace: (stored: StoredText | undefined) => boolean | Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await store.read(key);
    if (!(await mayReplace(stored))) return;
    if ((await store.replace(key, body, about, stored?.version)) === 'replaced') return;
  }
  throw new Error(
    `${key} changed ${MAX_TRIES} times during its replacement. Check who else writes it.`,
  );
}

/**
 * Replaces a pointer, unless it names an export that started later: an older export that ends late, or a delayed
 * worker, must not replace a newer one. Unreadable content is replaced.
 */
export async function moveForward(
  store: Pick<Store, 'read' | 'replace'>,
  key: string,
  pointer: Pointer,
): Promise<void> {
  await replacePointer(store, key, storeJson(pointer), (stored) => {
    const there = parsePointer(stored);
    if (there === undefined) return true;
    const isNewer = Date.parse(there.startedAt) > Date.parse(pointer.startedAt);
    return there.exportId !== pointer.exportId && !isNewer;
  });
}

/**
 * Points `latest.json` to this export, and `latest-complete.json` if it is shown to be complete; not where they name an
 * export that started later.
 */
export async function moveLatest(
  store: Pick<Store, 'read' | 'replace'>,
  latest: Latest,
): Promise<void> {
  const { connection, list, completeness } = latest;
  if (completeness === 'complete') {
    await moveForward(store, latestCompleteKey(connection, list), latest);
  }
  await moveForward(store, latestKey(connection, list), latest);
}
