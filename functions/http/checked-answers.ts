import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { givenText } from '../../lib/json/given-text.ts';
import { wholeNumber } from '../../lib/number-range.ts';
import { recordOf } from '../../lib/record-of.ts';
import { type Answer, jsonTextAnswer as textAnswer } from './answer.ts';
import { type FailedRead, outcomeProblem as problemOfOutcome } from './outcome-problem.ts';
import {
  type Problem,
  type ProblemCode,
  type ProblemMembers,
  problemCodes,
  problem as problemOf,
} from './problem.ts';

// For functions of users, of which no type keeps anything out. What is wrong would become an answer that API Gateway
// cannot read, and it answers a 500 of its own then, which says nothing.

const StatusSchema = wholeNumber(200, 599);
const TextSchema = v.string();
const HEADER_EXPECTED = 'expected the text of a header';
const HeadersSchema = recordOf(
  v.string(),
  v.pipe(v.string(HEADER_EXPECTED), v.regex(/^[^\0\r\n]*$/, HEADER_EXPECTED)),
);
const CODES = problemCodes();
const CodeSchema = v.picklist(CODES, `expected one of ${CODES.join(', ')}`);
const MembersSchema = v.looseObject({});
const ConnectionSchema = v.optional(v.string());
const FAILED = [
  'blocked',
  'throttled',
  'halted',
  'organization-unproven',
  'no-key',
  'authentication-failure',
  'unavailable',
  'refused',
] as const satisfies readonly FailedRead['kind'][];
const OutcomeSchema = v.looseObject({
  kind: v.picklist(FAILED, 'expected that of a read which brought neither a page nor a resource'),
  retryAfterSeconds: v.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  message: v.optional(v.string()),
});

/** @throws SettingError naming the argument that is wrong. */
export function jsonAnswer(
  statusCode: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return jsonTextAnswer(statusCode, givenText(value, 'value'), headers);
}

/**
 * @param body JSON text, sent as it is: nothing in it is parsed, so no digit of a number is lost.
 * @throws SettingError naming the argument that is wrong.
 */
export function jsonTextAnswer(
  statusCode: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  parseSetting(StatusSchema, statusCode, 'statusCode');
  parseSetting(TextSchema, body, 'body');
  parseSetting(HeadersSchema, headers, 'headers');
  return textAnswer(statusCode, body, headers);
}

/** @throws SettingError naming the argument that is wrong. */
export function problem(
  code: ProblemCode,
  detail: string,
  members: ProblemMembers = {},
  headers: Readonly<Record<string, string>> = {},
): Problem {
  parseSetting(CodeSchema, code, 'code');
  parseSetting(TextSchema, detail, 'detail');
  parseSetting(MembersSchema, members, 'members');
  parseSetting(HeadersSchema, headers, 'headers');
  return problemOf(code, detail, members, headers);
}

/**
 * The problem to answer with when a read brought nothing: 429 with `Retry-After` for a wait, 409 for a
 * connection without a usable key, 502 or 504 for the API. Nothing of an answer's body is in it but a code
 * that is one word.
 *
 * @param connection Named where the API rejected its key.
 * @throws SettingError naming the argument that is wrong.
 */
export function outcomeProblem(outcome: FailedRead, connection?: string): Problem {
  parseSetting(OutcomeSchema, outcome, 'outcome');
  parseSetting(ConnectionSchema, connection, 'connection');
  return problemOfOutcome(outcome, connection);
}
