import { backoffMs } from '../backoff.ts';
import { defined } from '../defined.ts';
import { pause } from '../gate/pause.ts';
import type { PublishPorts } from './ports.ts';
import { entryBytes, MAX_ENTRY_BYTES, type RecordEntry } from './record-event.ts';

/** Most entries of one PutEvents (API reference). */
const MAX_ENTRIES = 10;
/** Requests at the same time: each takes some 20 ms, and a region takes 60 to 1,000 of them a second. */
const SIDE_BY_SIDE = 8;
/** Of one batch; after so many in a row, a later step goes on. */
const MAX_TRIES = 6;
const BACKOFF = { firstMs: 200, mostMs: 5_000, leastShare: 0.5 };

interface Batch {
  /** Of its first entry, among all. */
  readonly first: number;
  readonly entries: readonly RecordEntry[];
}

type Sending = Pick<PublishPorts, 'bus' | 'clock' | 'random'> & {
  readonly isTimeUp: () => boolean;
};

interface Sent {
  /** How many from the first on are told for sure; those after them may be, too. */
  readonly told: number;
  /** What a call threw last, where not all are. */
  readonly error?: unknown;
}

/** Sends the entries to EventBridge, several batches at a time, and those again that were not taken. */
export async function sendEntries(
  sending: Sending,
  entries: readonly RecordEntry[],
): Promise<Sent> {
  const batches = batchesOf(entries).values();
  let told = entries.length;
  let error: unknown;
  const worker = async () => {
    for (const { first, entries: some } of batches) {
      if (told < entries.length) return;
      const left = await leftOf(sending, some);
      if (left === undefined) continue;
      told = Math.min(told, first);
      error = left.error ?? error;
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return { told, ...(told < entries.length ? defined({ error }) : {}) };
}

/** @returns `undefined` when all are taken. */
async function leftOf(
  { bus, clock, random, isTimeUp }: Sending,
  entries: readonly RecordEntry[],
): Promise<{ readonly error: unknown } | undefined> {
  let rest = entries;
  let error: unknown;
  for (let tries = 0; tries < MAX_TRIES && !isTimeUp(); tries++) {
    if (tries > 0) {
      const ms = backoffMs(BACKOFF, tries - 1, random.fraction());
      await pause(clock, ms);
    }
    try {
      rest = await bus.put(rest);
    } catch (thrown) {
      error = thrown;
    }
    if (rest.length === 0) return undefined;
  }
  return { error };
}

/** In their order, each as long as EventBridge takes. */
export function batchesOf(entries: readonly RecordEntry[]): readonly Batch[] {
  const batches: { first: number; entries: RecordEntry[] }[] = [];
  let bytes = 0;
  for (const [first, entry] of entries.entries()) {
    const own = entryBytes(entry);
    const last = batches.at(-1);
    if (
      last === undefined ||
      last.entries.length === MAX_ENTRIES ||
      bytes + own > MAX_ENTRY_BYTES
    ) {
      batches.push({ first, entries: [entry] });
      bytes = own;
    } else {
      last.entries.push(entry);
      bytes += own;
    }
  }
  return batches;
}
