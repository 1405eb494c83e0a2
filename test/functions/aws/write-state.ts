import type { WriteState } from '../../../lib/writes/write-state.ts';

/** A write that was accepted at 1,000 ms, with everything that a state can have and what is given. */
export function writeState(own: Partial<WriteState> = {}): WriteState {
  return {
    v: 1,
    connection: 'acme',
    writeId: 'w',
    writeToken: 'first',
    status: 'intended',
    fingerprint: 'f'.repeat(64),
    operation: {
      name: 'rename',
      method: 'PATCH',
      resource: 'customers/{id}',
      acceptsIdempotencyKey: true,
      check: {
        kind: 'list',
        resource: 'customers',
        query: { q: '{writeId}' },
        match: { 'address.city': '{body.city}' },
        maxPages: 2,
        settleSeconds: 3,
      },
    },
    params: { id: '7' },
    resource: 'customers/7',
    bodyText: '{"city":"Ulm"}',
    idempotencyKey: 'k'.repeat(32),
    acceptedAtMs: 1_000,
    updatedAtMs: 1_000,
    deadlineAtMs: 9_000_000,
    attempt: 0,
    wakeUpSent: false,
    notBeforeMs: 1_000,
    counters: { requests: 0, checks: 0, throttles: 0, failuresInRow: 0, unknownChecksInRow: 0 },
    settlements: [],
    unannounced: false,
    closed: false,
    ...own,
  };
}
