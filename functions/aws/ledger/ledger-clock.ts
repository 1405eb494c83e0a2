import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { SharedClock } from '../../../lib/gate/shared-clock.ts';
import { systemClock } from '../clock-and-random.ts';

/** AWS sends the one form of date that ECMAScript reads too (ECMA-262, Date.prototype.toUTCString). */
const DateSchema = v.pipe(v.string(), v.transform(Date.parse), v.number());
const AnswerSchema = v.object({ headers: v.object({ date: DateSchema }) });

/**
 * Hears the time of the ledger in each answer of DynamoDB, so in each read of a gate. Lambda's own clocks are
 * usually within a millisecond of it; a function of the user's own, or a machine that was paused, may be far off.
 *
 * @param now The clock of this machine, milliseconds since the epoch.
 */
export function hearLedgerClock(
  client: DynamoDBClient,
  now: () => number = systemClock.now,
): SharedClock {
  const clock = new SharedClock(now);
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentAtMs = now();
      const result = await next(args);
      const answer = v.safeParse(AnswerSchema, result.response);
      const receivedAtMs = now();
      if (answer.success) clock.heard(answer.output.headers.date, sentAtMs, receivedAtMs);
      return result;
    },
    // Inside the SDK's retries, next to the call itself.
    { step: 'deserialize', priority: 'low', name: 'hearLedgerClock' },
  );
  return clock;
}
