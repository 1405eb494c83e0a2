import { createHash } from 'node:crypto';
import { sweepAtMs } from '../../lib/writes/sweep-time.ts';
import type { WriteState } from '../../lib/writes/write-state.ts';
import { LEDGER_ATTRIBUTES } from './ledger-table.ts';

/** `unfinished`: the sweep looks at it when it is due. `unclear`: it waits for a person. */
export type OpenWriteKind = 'unfinished' | 'unclear';

/**
 * A partition of the index takes 1,000 writes a second (DynamoDB developer guide, "Partitions and data
 * distribution"), and a write request moves through it about four times: 250 a second for each of these.
 */
const PARTITIONS = 8;

/** The partition of the index that holds a connection's writes of this kind. */
export function openWriteMark(kind: OpenWriteKind, connection: string): string {
  const [first = 0] = createHash('sha256').update(connection).digest();
  return `${kind}-${first % PARTITIONS}`;
}

/** All partitions of the index for a kind. */
export function openWriteMarks(kind: OpenWriteKind): readonly string[] {
  return Array.from({ length: PARTITIONS }, (_, index) => `${kind}-${index}`);
}

/** The attributes by which the index finds a write; none for one that nobody has to look at. */
export function openWriteAttributes(state: WriteState): Readonly<Record<string, string | number>> {
  const dueAtMs = sweepAtMs(state);
  const found =
    dueAtMs !== undefined
      ? ({ kind: 'unfinished', atMs: dueAtMs } as const)
      : state.status === 'unclear'
        ? ({ kind: 'unclear', atMs: state.updatedAtMs } as const)
        : undefined;
  if (found === undefined) return {};
  return {
    [LEDGER_ATTRIBUTES.openWrite]: openWriteMark(found.kind, state.connection),
    [LEDGER_ATTRIBUTES.openWriteAtMs]: found.atMs,
  };
}
