import * as v from 'valibot';
import { type Accepted, acceptWrite } from '../../lib/writes/accept-write.ts';
import { parseRequestedWrite } from '../../lib/writes/write-request.ts';
import type { WriteState } from '../../lib/writes/write-state.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { type Problem, problem } from './problem.ts';
import { invalid, type Request, readBody, readFields } from './request.ts';
import { NoQuerySchema, WriteIdSchema, type WriteRoute } from './write-route.ts';
import { writeView } from './write-view.ts';

/** What is in the members is checked where every way in is. */
const BodySchema = v.strictObject({
  writeId: v.exactOptional(WriteIdSchema),
  operation: v.unknown(),
  params: v.exactOptional(v.unknown()),
  body: v.exactOptional(v.unknown()),
  orderKey: v.exactOptional(v.unknown()),
});

const HeadersSchema = v.object({ 'idempotency-key': v.exactOptional(WriteIdSchema) });

const ACCEPTED = 202;
/** The same write was asked for before and is over, or a person has to look at it. */
const KNOWN = 200;

/** When to ask again while too many writes wait for their turn. */
const LINE_FULL_SECONDS = 30;

/** `POST /connections/{connection}/writes` */
export const requestWrite: WriteRoute = async ({ request, connection, settings, ports, log }) => {
  const query = readFields(NoQuerySchema, request.query);
  if (query.kind === 'problem') return query;
  const body = readBody(BodySchema, request);
  if (body.kind === 'problem') return body;
  const writeId = writeIdOf(request, body.fields.writeId);
  if (typeof writeId !== 'string') return writeId;
  const parsed = parseRequestedWrite({ ...body.fields, v: 1, connection, writeId });
  if (parsed.kind === 'malformed') return invalid(parsed.setting, parsed.reason);

  const accepted = await acceptWrite(ports, settings, parsed.value);
  log.info('Write requested', { result: accepted.kind, writeId });
  return answerTo(accepted, ports.clock.now());
};

/** The caller names the write, so that asking again after a lost answer makes no second one. */
function writeIdOf({ headers }: Request, inBody: string | undefined): string | Problem {
  const read = readFields(HeadersSchema, headers);
  if (read.kind === 'problem') return { ...read, members: { field: 'Idempotency-Key' } };
  const inHeader = read.fields['idempotency-key'];
  if (inBody !== undefined && inHeader !== undefined && inBody !== inHeader) {
    return invalid(
      'writeId',
      'writeId: expected the same as Idempotency-Key, or only one of them.',
    );
  }
  return (
    inBody ??
    inHeader ??
    invalid('writeId', 'writeId: expected an id of your own, here or as Idempotency-Key.')
  );
}

function answerTo(accepted: Accepted, nowMs: number): Answer | Problem {
  switch (accepted.kind) {
    case 'accepted':
    case 'joined':
      return acceptedAnswer(accepted.kind, accepted.state, nowMs);
    case 'conflict':
      return problem(
        'write-conflict',
        'writeId: expected an id that no other write has. The write that has it asks for something else, and goes on unchanged.',
        { field: 'writeId' },
      );
    case 'invalid':
      return invalid(accepted.setting, accepted.message);
    case 'line-full':
      return problem(
        'line-full',
        accepted.message,
        { field: 'orderKey', retryAfterSeconds: LINE_FULL_SECONDS },
        { 'Retry-After': String(LINE_FULL_SECONDS) },
      );
  }
}

function acceptedAnswer(result: 'accepted' | 'joined', state: WriteState, nowMs: number): Answer {
  const { connection, writeId, status } = state;
  return jsonAnswer(
    status === 'intended' || status === 'sent' ? ACCEPTED : KNOWN,
    { result, write: writeView(state, nowMs) },
    { Location: `/connections/${connection}/writes/${writeId}` },
  );
}
