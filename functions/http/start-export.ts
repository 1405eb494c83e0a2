import * as v from 'valibot';
import { exportIdOf } from '../../lib/exports/export-id.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { type Started, startExport as start } from '../../lib/exports/start-export.ts';
import { usableConnection } from '../../lib/gate/usable-connection.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { exportView } from './export-view.ts';
import { keyRejected } from './key-problem.ts';
import { type Problem, problem } from './problem.ts';
import { invalid, readFields } from './request.ts';
import type { Route } from './route.ts';

const KEY_EXPECTED = 'expected 1 to 255 visible ASCII characters';

/** As in draft-ietf-httpapi-idempotency-key-header; quotes, where there are some, are part of the key. */
const HeadersSchema = v.object({
  'idempotency-key': v.exactOptional(
    v.pipe(v.string(KEY_EXPECTED), v.regex(/^[\x21-\x7e]{1,255}$/, KEY_EXPECTED)),
  ),
});

const NoQuerySchema = v.strictObject({});

const ACCEPTED = 202;
/** The request was carried out earlier and its export is over. */
const DONE = 200;

/** `POST /connections/{connection}/exports` */
export const startExport: Route = async ({ request, connection, settings, ports, ...call }) => {
  const query = readFields(NoQuerySchema, request.query);
  if (query.kind === 'problem') return query;
  const headers = readFields(HeadersSchema, request.headers);
  if (headers.kind === 'problem') {
    return invalid('Idempotency-Key', `Idempotency-Key: ${KEY_EXPECTED}.`);
  }
  const idempotencyKey = headers.fields['idempotency-key'] ?? call.requestId;
  const exportId = exportIdOf(connection, { kind: 'request', idempotencyKey });
  const gate = await ports.gates.read(connection);
  // Only a connection that was halted once needs the look at its key.
  if (gate.haltedKeyVersions.length > 0) {
    const opened = await usableConnection(ports.connections, connection, gate);
    if (opened.kind === 'rejected') return keyRejected(connection, {});
  }

  const started = await start(ports, settings, connection, exportId);
  call.log.info('Start', { result: started.kind, exportId: started.state.exportId });
  if (started.kind === 'halted') return haltedExport(started.state);
  return startedAnswer(started, gate.blockedUntilMs, ports.clock.now());
};

function startedAnswer({ kind, state }: Started, blockedUntilMs: number, nowMs: number): Answer {
  const { connection, exportId } = state;
  return jsonAnswer(
    kind === 'over' ? DONE : ACCEPTED,
    { result: kind, export: exportView(state, { blockedUntilMs }, nowMs) },
    { Location: `/connections/${connection}/exports/${exportId}` },
  );
}

function haltedExport({ exportId, reason }: ExportState): Problem {
  return problem('halted', reason?.message ?? NEW_KEY_NEEDED, {
    exportId,
    ...(reason === undefined ? {} : { reason: reason.code }),
  });
}

const NEW_KEY_NEEDED =
  'The export waits for another key. Store a valid one as a new version of the secret.';
