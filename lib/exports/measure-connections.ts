import * as v from 'valibot';
import { timestamp } from '../stored-text.ts';
import type { ExportState } from './export-state.ts';
import type { Store } from './ports.ts';
import { latestKey } from './store-objects.ts';

const LatestSchema = v.object({
  exportId: v.string(),
  endedAt: timestamp,
});

type NewestComplete =
  | { readonly kind: 'exported'; readonly exportId: string; readonly ageSeconds: number }
  | { readonly kind: 'never-exported' }
  /** `latest.json` exists, but this package did not write its content; the next completed export replaces it. */
  | { readonly kind: 'unreadable' };

/** Reads `latest.json`, which only completed exports change. */
export async function readNewestComplete(
  store: Pick<Store, 'read'>,
  { connection, list }: Pick<ExportState, 'connection' | 'list'>,
  nowMs: number,
): Promise<NewestComplete> {
  const stored = await store.read(latestKey(connection, list));
  if (stored === undefined) return { kind: 'never-exported' };
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), LatestSchema), stored.text);
  if (!parsed.success) return { kind: 'unreadable' };
  const { exportId, endedAt } = parsed.output;
  const ageSeconds = Math.max(0, Math.round((nowMs - Date.parse(endedAt)) / 1000));
  return { kind: 'exported', exportId, ageSeconds };
}

/** While a schedule starts exports, milliseconds since the epoch. */
interface Period {
  /** @default - since ever */
  readonly startMs?: number;
  /** @default - for ever */
  readonly endMs?: number;
}

/** Whether a schedule starts exports now: before and after that nobody expects one. */
export function isWithin({ startMs = 0, endMs = Infinity }: Period, nowMs: number): boolean {
  return startMs <= nowMs && nowMs < endMs;
}

/** A connection that is expected to have a recent completed export. */
export interface Measured {
  readonly newest: NewestComplete;
  /** Since when its schedule starts exports, milliseconds since the epoch. @default - since ever */
  readonly startMs?: number | undefined;
  /** When its secret was created, milliseconds since the epoch; `undefined` when it has no secret. */
  readonly createdAtMs: number | undefined;
}

export interface ConnectionAges {
  /** Of the oldest of the connections' newest completed exports, from the start of its schedule at most; 0 without one. */
  readonly oldestSeconds: number;
  /** Connections whose newest completed export is older than `overdueHours`. */
  readonly overdue: number;
  /** Connections without a completed export whose secret is missing, or it and the schedule are older than `overdueHours`. */
  readonly neverExported: number;
}

const MS_PER_HOUR = 3_600_000;

/** @param overdueHours Oldest accepted age of the newest completed export. */
export function measureConnections(
  measured: readonly Measured[],
  nowMs: number,
  overdueHours: number,
): ConnectionAges {
  let oldestSeconds = 0;
  let overdue = 0;
  let neverExported = 0;
  const overdueMs = overdueHours * MS_PER_HOUR;
  for (const { newest, createdAtMs = 0, startMs = 0 } of measured) {
    const scheduledMs = nowMs - startMs;
    if (newest.kind === 'exported') {
      const ageMs = Math.min(newest.ageSeconds * 1000, scheduledMs);
      oldestSeconds = Math.max(oldestSeconds, Math.round(ageMs / 1000));
      if (ageMs > overdueMs) overdue += 1;
    } else if (Math.min(nowMs - createdAtMs, scheduledMs) > overdueMs) {
      // Among thousands of connections one is always new: it gets as much time as the others.
      neverExported += 1;
    }
  }
  return { oldestSeconds, overdue, neverExported };
}
