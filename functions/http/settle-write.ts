import type { AcceptPorts } from '../../lib/writes/ports.ts';
import { settleWrite as settle } from '../../lib/writes/settle-write.ts';
import { jsonAnswer } from './answer.ts';
import { problem, unknownCaller } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { unknownWrite } from './show-writes.ts';
import { writeView } from './write-view.ts';

export const settleWrite: Route<typeof ROUTES.settleWrite, AcceptPorts> = async (call, ports) => {
  const { connection, input, settings, log, caller: by } = call;
  if (by === undefined) return unknownCaller('settles a write');

  const { writeId } = input.path;
  const settled = await settle(ports, settings.write, { connection, writeId, by, ...input.body });
  log.info('Write settled', { result: settled.kind, writeId, decision: input.body.decision, by });
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
