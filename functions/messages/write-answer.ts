import type { WriteReport } from '../../lib/writes/write-report.ts';
import type { MessageAnswer } from './message.ts';

/** What becomes of the message of a write. */
export function writeAnswer({ answer, result, reason }: WriteReport): MessageAnswer {
  if (answer !== 'reject') return answer;
  const deadLetterReason = reason ?? 'No reason was told.';
  return result === 'key-in-request'
    ? { deadLetterReason, isBodyWithheld: true }
    : { deadLetterReason };
}
