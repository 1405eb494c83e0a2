import * as v from 'valibot';
import type { Store } from './ports.ts';
import { latestKey } from './store-keys.ts';

const LatestSchema = v.object({
  exportId: v.string(),
  endedAt: v.pipe(v.string(), v.isoTimestamp()),
});

/** How old the newest complete export of a connection is. */
export type NewestComplete =
  | { readonly kind: 'exported'; readonly exportId: string; readonly ageSeconds: number }
  | { readonly kind: 'never-exported' }
  /** `latest.json` is there and is not what this package writes; the next complete export replaces it. */
  | { readonly kind: 'unreadable' };

/** Reads `latest.json`, which only a complete export moves. @throws for an outage of the store. */
export async function readNewestComplete(
  store: Pick<Store, 'read'>,
  connection: string,
  nowMs: number,
): Promise<NewestComplete> {
  const stored = await store.read(latestKey(connection));
  if (stored === undefined) return { kind: 'never-exported' };
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), LatestSchema), stored.text);
  if (!parsed.success) return { kind: 'unreadable' };
  const { exportId, endedAt } = parsed.output;
  const ageSeconds = Math.max(0, Math.round((nowMs - Date.parse(endedAt)) / 1000));
  return { kind: 'exported', exportId, ageSeconds };
}
