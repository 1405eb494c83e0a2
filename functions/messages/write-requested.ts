import { defined } from '../../lib/defined.ts';
import {
  type ExactJson,
  type ExactMembers,
  elementsIn,
  exactText,
  membersIn,
  readMembers,
  stringIn,
  uniqueMembers,
} from '../../lib/json/exact-json.ts';
import { isKeptByDoubles } from '../../lib/json/exact-number.ts';
import {
  malformedText,
  parseRequestedWrite,
  parseWriteMessage,
  type WriteMessage,
} from '../../lib/writes/write-request.ts';
import type { ParsedBody } from './message.ts';

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
 */
export function parseQueuedWrite(text: string, integration: string): ParsedBody<WriteMessage> {
  // SQS has put it in place of characters that it does not take, and refuses those now (API reference, SendMessage).
  if (text.includes('\ufffd')) return malformedText({ problem: REPLACED });
  const read = readMembers(text);
  const isEvent = read.kind === 'members' && read.members.has('detail-type');
  return isEvent ? parseEvent(read.members, integration) : parseWriteMessage(text);
}

const REPLACED =
  'holds U+FFFD, which may stand for another character. Send this character itself as \\ufffd, by the queue or over HTTP';

function parseEvent(event: ExactMembers, integration: string): ParsedBody<WriteMessage> {
  const { source, detailType } = WRITE_REQUESTED;
  if (textOf(event, 'source') !== source || textOf(event, 'detail-type') !== detailType) {
    const expected = `expected an event ${detailType} of the source ${source}`;
    return { kind: 'malformed', reason: `detail-type: ${expected}.` };
  }
  const detail = event.get('detail');
  if (detail?.kind !== 'object') {
    return { kind: 'malformed', reason: 'detail: expected an object.' };
  }
  const read = uniqueMembers(detail);
  if (read.kind === 'unreadable') return inDetail(malformedText(read));
  const write = new Map(read.members);
  write.delete('integration');
  if (textOf(read.members, 'integration') !== integration) {
    return { kind: 'malformed', reason: `detail.integration: expected "${integration}".` };
  }
  const parsed = parseRequestedWrite(write, defined({ writeId: textOf(event, 'id') }));
  if (parsed.kind === 'malformed') return inDetail(parsed);
  const place = uncertainNumber(detail);
  if (place !== undefined) {
    const reason = `detail.${place}: is a number of which EventBridge may have changed digits. Give it as text, or ask for the write over HTTP or by the queue.`;
    return { kind: 'malformed', reason };
  }
  return { kind: 'value', value: { kind: 'request', request: parsed.value } };
}

function textOf(members: ExactMembers, name: string): string | undefined {
  const json = members.get(name);
  return json && stringIn(json);
}

function inDetail({ reason }: { readonly reason: string }): ParsedBody<never> {
  return { kind: 'malformed', reason: `detail.${reason}` };
}

/**
 * The place of the first number whose digits may have been lost before the event came here. EventBridge promises
 * whole numbers of 64 bits (API reference, PutEvents) and says nothing of fractions, and producers and transformers
 * on the way may keep numbers as doubles. A number that doubles keep came as it was sent.
 *
 * @param json Of a depth that a stack has room for.
 * @returns Names joined by dots, those that are words alone; `undefined` when there is no such number.
 */
function uncertainNumber(json: ExactJson): string | undefined {
  return find(json, '')?.replace(/^\./, '');
}

function find(json: ExactJson, place: string): string | undefined {
  if (json.kind === 'number') return isKeptByDoubles(exactText(json)) ? undefined : place;
  for (const [name, value] of membersIn(json)) {
    const found = find(value, /^[\w-]{1,64}$/.test(name) ? `${place}.${name}` : place);
    if (found !== undefined) return found;
  }
  for (const [index, element] of elementsIn(json).entries()) {
    const found = find(element, `${place}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}
