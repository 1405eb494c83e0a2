import { isJsonObject } from '../json/json-value.ts';
import { wordOf } from './list-evidence.ts';

/** Members by their words, see {@link wordOf}. */
const FLAG = /^(?:success|ok)$/;
const ERROR = /^errors?$/;
const VERDICT = /^(?:status|result)$/;
const STATUS = /^(?:status|code|statuscode)$/;
const ERROR_CODE = /^err(?:or)?code$/;
const ERROR_MESSAGE = /^err(?:or)?(?:msg|message)$/;
const MESSAGE = /^(?:err(?:or)?)?(?:msg|message)$|^detail$/;
const CODE = /^(?:status)?code$/;
/** Objects that speak of the request, and not of a record. */
const BLOCK = /^(?:meta|status)$/;

const WANTED =
  /^(?:success|ok|errors?|status|result|(?:status|err(?:or)?)?code|(?:err(?:or)?)?(?:msg|message)|detail|meta|type)$/;

/** Whether a member of this word is one of those that are read of errors. */
export function isErrorMember(word: string): boolean {
  return WANTED.test(word);
}

/** Whether the first element of a list is read that has this word. */
export function isErrorList(word: string): boolean {
  return ERROR.test(word);
}

/** `doubtful`: APIs also send it with what succeeded, so it says nothing certain about a write. */
type ErrorSign = 'certain' | 'doubtful';

/**
 * Whether the outline of a body reports an error whatever its status: the specification tells clients to check both. Its
 * members may be a resource's own, so a status or a code is believed beside a message.
 *
 * @param isEmptyList Whether it has a list without records, which is believed as a message is.
 */
export function errorSign(body: unknown, isEmptyList = false): ErrorSign | undefined {
  if (!isJsonObject(body)) return undefined;
  const has = (word: RegExp, is: (value: unknown) => boolean) => membersOf(body, word).some(is);
  const blocks = membersOf(body, BLOCK).map((block) => errorSign(block, isEmptyList));
  const isBelieved = isEmptyList || has(MESSAGE, isFilled);
  const hasFailed = has(VERDICT, saysFailed);
  const isCertain =
    has(FLAG, isFalse) ||
    has(ERROR, saysError) ||
    blocks.includes('certain') ||
    (isBelieved && (hasFailed || has(STATUS, isErrorStatus) || has(VERDICT, isFalse))) ||
    (hasFailed && has(/^(?:message|code)$/, () => true));
  if (isCertain) return 'certain';
  const isDoubtful =
    blocks.includes('doubtful') ||
    (isBelieved && (has(FLAG, isZero) || has(ERROR_CODE, namesError))) ||
    (has(ERROR_MESSAGE, namesError) && !has(ERROR_CODE, isCodeOfSuccess));
  return isDoubtful ? 'doubtful' : undefined;
}

/** See {@link errorSign}. */
export function isErrorBody(body: unknown, isEmptyList = false): boolean {
  return errorSign(body, isEmptyList) !== undefined;
}

/** Whether the outline of a body may be a resource: that has an id, and may have errors of its own, as an import does. */
export function hasId(body: unknown): boolean {
  return isJsonObject(body) && body['id'] !== undefined;
}

/** The error code that a body names, unless it holds the key. */
export function codeFact(
  body: unknown,
  holdsKey: (text: string) => boolean,
): { readonly apiCode?: string } {
  const code = apiCodeOf(body);
  return code === undefined || holdsKey(code) ? {} : { apiCode: code };
}

/**
 * The error code that a body names, only if it is a short plain word: messages may hold customer data,
 * and a code is what a person can look up.
 */
export function apiCodeOf(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const [errors] = membersOf(body, /^errors$/);
  const nested = [
    ...membersOf(body, /^error$/),
    Array.isArray(errors) ? errors[0] : errors,
    body,
    ...membersOf(body, BLOCK).filter(isJsonObject),
  ];
  const candidates = nested.flatMap((node) => {
    if (!isJsonObject(node)) return [node];
    const codes = CODES.flatMap((word) => membersOf(node, word));
    return [...codes, ...membersOf(node, /^status$/).filter(isErrorStatus)];
  });
  return candidates
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .filter((code) => !isCodeOfSuccess(code))
    .map(String)
    .find((code) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(code));
}

/** In the order of trust. */
const CODES = [CODE, ERROR_CODE, /^type$/, /^error$/];

function membersOf(body: Readonly<Record<string, unknown>>, word: RegExp): readonly unknown[] {
  return Object.keys(body).flatMap((name) => (word.test(wordOf(name)) ? [body[name]] : []));
}

function says(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value !== 'object' && pattern.test(String(value));
}

const isFalse = says(/^false$/i);
/** Of a flag it may also be a number of successes. */
const isZero = says(/^0+$/);
const isErrorStatus = says(/^[45]\d\d$/);
const saysFailed = says(/^(?:error|fail|failed|failure)$/i);
const isCodeOfSuccess = says(/^(?:0+|2\d\d)$/);
const saysNoError = says(
  /^(?:2\d\d|no[ _-]?errors?\W*|success(?:ful(?:ly)?)?(?![a-z]).*|(?:.*(?<!n[o']t[ _-])(?<![a-z]))?ok\W*)$/is,
);
const saysNothing = says(/^(?:0*|false|none|null|ok|success)$/i);

function isFilled(value: unknown): boolean {
  if (typeof value !== 'object') return !saysNothing(value);
  return value !== null && Object.keys(value).length > 0;
}

function namesError(value: unknown): boolean {
  return isFilled(value) && !saysNoError(value);
}

/**
 * Some APIs send an object for errors with each answer: with the code of a success, or with nothing in its message and
 * in what is read beside it. What is filled otherwise is an error, also without a code: what it says may stand in a member that is not read.
 */
function saysError(value: unknown): boolean {
  if (!isJsonObject(value)) return namesError(value);
  const codes = [...membersOf(value, CODE), ...membersOf(value, ERROR_CODE)];
  if (codes.some(saysNoError)) return false;
  const isTold = Object.keys(value).length > 1 && membersOf(value, MESSAGE).length > 0;
  return isTold ? Object.values(value).some(namesError) : isFilled(value);
}
