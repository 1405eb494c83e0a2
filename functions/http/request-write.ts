import { defined } from '../../lib/defined.ts';
import { type Accepted, acceptWrite } from '../../lib/writes/accept-write.ts';
import type { EnterPorts } from '../../lib/writes/ports.ts';
import { parseRequestedWrite } from '../../lib/writes/write-request.ts';
import type { WriteState } from '../../lib/writes/write-state.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { invalidRequest, type Problem, problem } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { writeView } from './write-view.ts';

const ACCEPTED = 202;
/** The same write was asked for before and is over, or waits for a person. */
const KNOWN = 200;

/** When to ask again while too many writes wait for their turn. */
const LINE_FULL_SECONDS = 30;

export const requestWrite: Route<typeof ROUTES.requestWrite, EnterPorts> = async (call, ports) => {
  const { connection, input, settings, log } = call;
  const inHeader = input.headers['idempotency-key'];
  // The caller names the write, so that asking again after a lost answer makes no second one.
  if (inHeader === undefined && !input.body.has('writeId')) {
    const expected = 'expected an id of your own, here or as Idempotency-Key';
    return invalidRequest('writeId', `writeId: ${expected}.`);
  }
  const known = { v: 1, connection, ...defined({ writeId: inHeader }) } as const;
  const parsed = parseRequestedWrite(input.body, known);
  if (parsed.kind === 'malformed') return invalidRequest(parsed.setting, parsed.reason);
  const { writeId } = parsed.value;
  if (inHeader !== undefined && inHeader !== writeId) {
    const same = 'expected the same as Idempotency-Key, or only one of them';
    return invalidRequest('writeId', `writeId: ${same}.`);
  }

  const accepted = await acceptWrite(ports, settings.write, parsed.value);
  log.info('Write requested', { result: accepted.kind, writeId });
  return answerTo(accepted, ports.clock.now());
};

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
      return invalidRequest(accepted.setting, accepted.message);
    case 'key-in-request':
      return problem('key-in-request', accepted.message, { field: accepted.setting });
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
  const { writeId, status } = state;
  return jsonAnswer(
    status === 'intended' || status === 'sent' ? ACCEPTED : KNOWN,
    { result, write: writeView(state, nowMs) },
    { Location: `writes/${writeId}` },
  );
}
