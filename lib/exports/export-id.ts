import { createHash } from 'node:crypto';

/** What asked for an export. The same trigger delivered twice has the same id of its own. */
export type Trigger =
  /** `idempotencyKey`: the header of the HTTP request, or the id that was made for it. */
  | { readonly kind: 'request'; readonly idempotencyKey: string }
  /** `scheduledTime`: ISO 8601, as the scheduler gives it. */
  | { readonly kind: 'schedule'; readonly scheduledTime: string }
  /** `eventId`: the `id` of the EventBridge event. */
  | { readonly kind: 'event'; readonly eventId: string };

/**
 * The id of the export that a trigger starts: equal for equal triggers of a connection. It is made of
 * `a-z`, `0-9` and `-`, whatever the trigger's own id is made of.
 */
export function exportIdOf(connection: string, trigger: Trigger): string {
  const own = ownIdOf(trigger);
  // 80 bits: two triggers of one connection meet once in 10^12 when there are 10^6 of them.
  const digest = createHash('sha256')
    .update(JSON.stringify([connection, trigger.kind, own]))
    .digest('hex')
    .slice(0, 20);
  return `${trigger.kind}-${digest}`;
}

function ownIdOf(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'request':
      return trigger.idempotencyKey;
    case 'schedule':
      return trigger.scheduledTime;
    case 'event':
      return trigger.eventId;
  }
}
