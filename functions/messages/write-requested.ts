import { isJsonObject, parseJson } from '../../lib/json/json-value.ts';
import {
  parseRequestedWrite,
  parseWriteMessage,
  type WriteMessage,
} from '../../lib/writes/write-request.ts';
import type { ParsedBody } from '../middleware/queue-messages.ts';

/** The event that asks for a write; the stack's rule looks for both. */
export const WRITE_REQUESTED = {
  /** As for exports: the right to ask is not the right to publish events of the stack. */
  source: 'customers-functions.requests',
  detailType: 'Customer Write Requested',
} as const;

/**
 * Reads a message of the write queue: a pointer to a write in the ledger, a whole request, or an event
 * `Customer Write Requested` as EventBridge puts it there. An event without a `writeId` is named after
 * itself, so that one which is delivered again asks for the same write.
 *
 * @param integration Id of this integration, which an event names.
 */
export function parseQueuedWrite(text: string, integration: string): ParsedBody<WriteMessage> {
  const given = parseJson(text);
  if (!isJsonObject(given) || !('detail-type' in given)) return parseWriteMessage(text);
  const { id, source, 'detail-type': detailType, detail } = given;
  if (source !== WRITE_REQUESTED.source || detailType !== WRITE_REQUESTED.detailType) {
    const expected = `expected an event ${WRITE_REQUESTED.detailType} of the source ${WRITE_REQUESTED.source}`;
    return { kind: 'malformed', reason: `detail-type: ${expected}.` };
  }
  if (!isJsonObject(detail)) return { kind: 'malformed', reason: 'detail: expected an object.' };
  const { integration: asked, ...write } = detail;
  if (asked !== integration) {
    return { kind: 'malformed', reason: `detail.integration: expected "${integration}".` };
  }
  const parsed = parseRequestedWrite({ writeId: id, ...write });
  if (parsed.kind === 'malformed') {
    return { kind: 'malformed', reason: `detail.${parsed.reason}` };
  }
  return { kind: 'value', value: { kind: 'request', request: parsed.value } };
}
