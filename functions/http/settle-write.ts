import * as v from 'valibot';
import { settleWrite as settle } from '../../lib/writes/settle-write.ts';
import { jsonAnswer } from './answer.ts';
import { problem } from './problem.ts';
import { readBody, readFields } from './request.ts';
import { NoQuerySchema, unknownWrite, WritePathSchema, type WriteRoute } from './write-route.ts';
import { writeView } from './write-view.ts';

const NOTE_EXPECTED = 'expected a text of 1,024 characters at most';

const ATTEMPT_EXPECTED = 'expected the attempt of the unclear write, a whole number';

const BodySchema = v.strictObject({
  attempt: v.pipe(
    v.number(ATTEMPT_EXPECTED),
    v.safeInteger(ATTEMPT_EXPECTED),
    v.minValue(0, ATTEMPT_EXPECTED),
  ),
  decision: v.picklist(
    ['done', 'retry'],
    'expected done (it took effect) or retry (it did not, so it is sent again)',
  ),
  note: v.exactOptional(v.pipe(v.string(NOTE_EXPECTED), v.maxLength(1024, NOTE_EXPECTED))),
});

/** As long as what is written down may be. */
const MAX_CALLER_LENGTH = 2048;

/** `POST /connections/{connection}/writes/{writeId}/settlement` */
export const settleWrite: WriteRoute = async ({ request, connection, settings, ports, log }) => {
  const path = readFields(WritePathSchema, request.path);
  if (path.kind === 'problem') return path;
  const query = readFields(NoQuerySchema, request.query);
  if (query.kind === 'problem') return query;
  const body = readBody(BodySchema, request);
  if (body.kind === 'problem') return body;
  const by = request.caller?.slice(0, MAX_CALLER_LENGTH);
  if (by === undefined) {
    const detail = 'Who settles a write is written down: expected a token with the claim sub.';
    return problem('unknown-caller', detail);
  }

  const { writeId } = path.fields;
  const settled = await settle(ports, settings, { connection, writeId, by, ...body.fields });
  log.info('Write settled', { result: settled.kind, writeId, decision: body.fields.decision, by });
  switch (settled.kind) {
    case 'settled':
      return jsonAnswer(200, writeView(settled.state, ports.clock.now()));
    case 'not-unclear':
      return problem(
        'not-unclear',
        `The write is ${settled.state.status} in attempt ${settled.state.attempt}. Only an unclear one is settled by a person, and only as it was found in its newest attempt: look at it again.`,
      );
    case 'missing':
      return unknownWrite(connection);
  }
};
