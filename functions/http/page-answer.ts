import type { Page } from '../../lib/customers-api/outcome.ts';
import { type Answer, jsonTextAnswer } from './answer.ts';
import { type Problem, problem } from './problem.ts';

/** Lambda's limit of a synchronous response (Lambda quotas), less 64 KiB for what encloses the body. */
export const MAX_ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024;

/**
 * A page as it came: records and `meta` are joined as text, since parsing would change numbers, escapes and
 * duplicate members.
 *
 * @param member What the records are called in the answer.
 */
export function pageAnswer(page: Page, member: 'customers' | 'records'): Answer | Problem {
  // Its texts are not even made: they would take several times its memory.
  if (page.ndjson.length > MAX_ANSWER_BYTES) return tooLarge(page, page.ndjson.length);
  const meta = page.metaText ?? 'null';
  const body = `{"${member}":[${page.records.join(',')}],"meta":${meta},"page":${page.page}}`;
  // Lambda hands the body on inside a JSON text, in which every quote takes two bytes.
  const answerBytes = Buffer.byteLength(JSON.stringify(body));
  if (answerBytes <= MAX_ANSWER_BYTES) return jsonTextAnswer(200, body);
  return tooLarge(page, answerBytes);
}

function tooLarge({ recordCount }: Page, bytes: number): Problem {
  return problem(
    'page-too-large',
    `The page has ${recordCount} records, which take ${bytes} bytes or more in the answer of a function; at most ${MAX_ANSWER_BYTES} are possible. Ask for fewer with per_page.`,
    { field: 'per_page' },
  );
}
