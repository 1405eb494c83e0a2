import { MAX_DELAY_SECONDS } from '../../lib/steps/delay.ts';
import type { WriteReport } from '../../lib/writes/write-report.ts';
import type { MessageAnswer } from './message.ts';

/** What becomes of the message of a write. */
export function writeAnswer({ answer, result, reason }: WriteReport): MessageAnswer {
  // Those in front of it may wait for the API for hours, which its receives would not last.
  if (result === 'line-full') return { requeueAfterSeconds: MAX_DELAY_SECONDS };
  if (answer !== 'reject') return answer;
  const deadLetterReason = reason ?? 'No reason was told.';
  return result === 'key-in-request'
    ? { deadLetterReason, isBodyWithheld: true }
    : { deadLetterReason };
}
