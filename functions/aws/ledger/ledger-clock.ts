import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { parseHttpDate } from '../../../lib/customers-api/http-date.ts';
import { SharedClock } from '../../../lib/gate/shared-clock.ts';

const AnswerSchema = v.object({ headers: v.object({ date: v.string() }) });

/**
 * Hears the time of the ledger in each answer of DynamoDB, so in each read of a gate. Lambda's own clocks are
 * usually within a millisecond of it; a function of the user's own, or a machine that was paused, may be far off.
 *
 * @param now Our own clock, milliseconds since the epoch.
 */
export function hearLedgerClock(client: DynamoDBClient, now: () => number): SharedClock {
  const clock = new SharedClock();
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentAtMs = now();
      const result = await next(args);
      const answer = v.safeParse(AnswerSchema, result.response);
      const receivedAtMs = now();
      const dateMs = answer.success
        ? parseHttpDate(answer.output.headers.date, receivedAtMs)
        : undefined;
      if (dateMs !== undefined) clock.heard(dateMs, sentAtMs, receivedAtMs);
      return result;
    },
    // Inside the SDK's retries, next to the call itself.
    { step: 'deserialize', priority: 'low', name: 'hearLedgerClock' },
  );
  return clock;
}
