import * as v from 'valibot';
import type { Store } from './ports.ts';
import { latestKey } from './store-objects.ts';

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

/** One connection that should have a complete export now and then. */
export interface Measured {
  readonly newest: NewestComplete;
  /** When its secret was made, milliseconds since the epoch; `undefined` when it has none. */
  readonly createdAtMs: number | undefined;
}

/** All connections together. */
export interface ConnectionAges {
  /** Of the connection where the newest complete export is the oldest; `undefined` when there is none at all. */
  readonly oldestSeconds: number | undefined;
  /** Connections whose newest complete export is older than it should be. */
  readonly overdue: number;
  /** Connections without a complete export that have had the time for one, or have no secret to make one with. */
  readonly neverExported: number;
}

const MS_PER_HOUR = 3_600_000;

/** @param overdueHours The newest complete export should be younger than this. */
export function measureConnections(
  measured: readonly Measured[],
  nowMs: number,
  overdueHours: number,
): ConnectionAges {
  let oldestSeconds: number | undefined;
  let overdue = 0;
  let neverExported = 0;
  for (const { newest, createdAtMs } of measured) {
    if (newest.kind === 'exported') {
      oldestSeconds = Math.max(oldestSeconds ?? 0, newest.ageSeconds);
      if (newest.ageSeconds * 1000 > overdueHours * MS_PER_HOUR) overdue += 1;
    } else if (createdAtMs === undefined || nowMs - createdAtMs > overdueHours * MS_PER_HOUR) {
      // Among thousands of connections there is always a new one: it has as long as the others.
      neverExported += 1;
    }
  }
  return { oldestSeconds, overdue, neverExported };
}
