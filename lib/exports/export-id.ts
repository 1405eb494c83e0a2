import { hash } from 'node:crypto';
import { CUSTOMERS_LIST } from './list-settings.ts';

/** What started an export. A trigger that is delivered twice has the same id both times. */
export type Trigger =
  /** `idempotencyKey`: the header of the HTTP request, or a generated id. */
  | { readonly kind: 'request'; readonly idempotencyKey: string }
  /** `scheduledTime`: ISO 8601, from EventBridge Scheduler. */
  | { readonly kind: 'schedule'; readonly scheduledTime: string }
  /** `eventId`: the `id` of the EventBridge event. */
  | { readonly kind: 'event'; readonly eventId: string }
  /** `endedExportId`: the export that ended because the organization changed. */
  | { readonly kind: 'organization'; readonly endedExportId: string };

/** 80 bits: with 10^6 triggers of a connection the probability of a collision is about 10^-12. */
const DIGEST_DIGITS = 20;

const KINDS = { request: true, schedule: true, event: true, organization: true } satisfies Readonly<
  Record<Trigger['kind'], true>
>;

/** The ids that {@link exportIdOf} makes, a question mark standing for one character, as in IAM policies. */
export const EXPORT_ID_PATTERNS: readonly string[] = Object.keys(KINDS).map(
  (kind) => `${kind}-${'?'.repeat(DIGEST_DIGITS)}`,
);

/**
 * The export id for a trigger: equal triggers of a list have equal ids. Consists of `a-z`, `0-9` and `-`,
 * whatever characters the trigger's id has.
 */
export function exportIdOf(connection: string, list: string, trigger: Trigger): string {
  // Each connection has this list, so its name tells nothing.
  const whose = list === CUSTOMERS_LIST ? [connection] : [connection, list];
  const digest = hash('sha256', JSON.stringify([...whose, trigger.kind, ownIdOf(trigger)]));
  return `${trigger.kind}-${digest.slice(0, DIGEST_DIGITS)}`;
}

function ownIdOf(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'request':
      return trigger.idempotencyKey;
    case 'schedule':
      return trigger.scheduledTime;
    case 'event':
      return trigger.eventId;
    case 'organization':
      return trigger.endedExportId;
  }
}
