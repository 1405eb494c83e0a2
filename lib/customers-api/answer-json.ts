import { isAscii, isUtf8 } from 'node:buffer';
import { MAX_OUTLINE_MEMBERS, type OutlinePlan, outlineOf } from '../json/json-outline.ts';
import { isCutJson, type JsonText, withoutByteOrderMark } from '../json/json-text.ts';
import { MAX_NESTING, scanJson } from '../json/scan-json.ts';
import { READ_ALWAYS } from './answer-plan.ts';
import type { HttpAnswer } from './http.ts';
import { type HttpFailure, lossOf, NOT_HTTP } from './http-failure.ts';
import { noConnection, untrustedCertificate } from './no-connection.ts';
import type { AnswerFacts, Refused, Unavailable } from './outcome.ts';
import { shownText } from './shown-text.ts';

/** A body that is a valid JSON text in UTF-8. */
export interface JsonBody extends JsonText {
  readonly kind: 'json';
  /** The few members that are read of any answer: those of errors and of evidence, and `id`. */
  readonly outline: unknown;
  /** Gives the memory of `bytes` to the next answer. */
  readonly release: () => void;
}

interface NoJson {
  readonly kind: 'no-json';
  readonly reason:
    | 'not-json'
    | 'cut'
    | 'empty'
    | 'key-echo'
    | 'too-large'
    | 'too-complex'
    | Unavailable['reason'];
  /** What came and what was expected, without any part of the body. */
  readonly problem: string;
}

/**
 * Reads an answer's body as JSON. A text that ends too early (`cut`, repeat later) is not the same as one that
 * is not JSON (repeating does not help). A byte order mark is skipped, as RFC 8259 section 8.1 allows.
 */
export function readJsonBody(
  answer: HttpAnswer,
  holdsKey: (bytes: Uint8Array) => boolean,
  maxBodyBytes: number,
  plan: OutlinePlan = READ_ALWAYS,
): JsonBody | NoJson {
  if ('kind' in answer.body) return noBody(answer.body, maxBodyBytes);
  const { bytes: received, release } = answer.body;
  if (holdsKey(received) || inHeaders(answer.headers, holdsKey)) {
    return { kind: 'no-json', reason: 'key-echo', problem: 'the answer contains the API key' };
  }
  const bytes = withoutByteOrderMark(received);
  if (bytes.length === 0) return emptyBody(answer);
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(answer.headers.get('content-type') ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset) && !isAscii(bytes)) {
    return notJson(`the body is in ${shownText(charset, 40)}, and JSON is UTF-8`);
  }
  if (!isUtf8(bytes)) {
    return endsInsideCharacter(bytes) && isCutJson(bytes)
      ? cut()
      : notJson('the body is not UTF-8');
  }
  const lists = scanJson(bytes);
  if (lists === 'too-deep') return complex(`it is nested deeper than ${MAX_NESTING}`);
  if (lists !== undefined) {
    const { value: outline, isWhole } = outlineOf({ bytes, lists }, plan);
    return isWhole
      ? { kind: 'json', bytes, lists, outline, release }
      : complex(`it has more than ${MAX_OUTLINE_MEMBERS} members named like those of meta`);
  }
  return isCutJson(bytes)
    ? cut()
    : notJson(`the body is not JSON (content type ${mediaType(answer)})`);
}

function inHeaders(headers: Headers, holdsKey: (bytes: Uint8Array) => boolean): boolean {
  // In one piece, since it is looked for in many forms. No form of a key has this separator in it.
  return holdsKey(Buffer.from([...headers.values()].join('\0')));
}

/** What to do about an answer that repeating does not change. */
const ADVICE = {
  'not-json': (problem: string) =>
    `Expected a JSON answer, but ${problem}. Check that baseUrl leads to the API and not to a login page or proxy.`,
  'key-echo': (problem: string) =>
    `Nothing of this answer is kept: ${problem}. Report it to the API's operator and consider the key exposed.`,
  'too-large': (problem: string) =>
    `Stopped reading: ${problem}. Start again with a smaller perPage, or raise maxBodyBytes.`,
  // It takes more memory and time to read than any answer should.
  'too-complex': (problem: string) =>
    `The answer is more complex than is read: ${problem}. Ask the API's operator for a simpler answer; where only what is around the records is complex, set itemsKey to the member that holds them.`,
};

export function unusable(
  reason: keyof typeof ADVICE,
  problem: string,
  facts: AnswerFacts,
): Refused {
  return { kind: 'refused', reason, message: ADVICE[reason](problem), ...facts };
}

/** The outcome of a request without effect whose body could not be used. */
export function outcomeOfNoJson(
  { reason, problem }: NoJson,
  facts: AnswerFacts,
): Refused | Unavailable {
  switch (reason) {
    case 'empty':
      return unusable('not-json', problem, facts);
    case 'not-json':
    case 'key-echo':
    case 'too-large':
    case 'too-complex':
      return unusable(reason, problem, facts);
    default: {
      const message = `No whole answer: ${problem}. Repeat later.`;
      return { kind: 'unavailable', reason, message, ...facts };
    }
  }
}

const KEY_IN_REQUEST =
  'The request holds the key in its path, query, body or another header, so nothing was sent: the key belongs into its own header alone. Take it out of the request, and consider the key exposed.';

export function outcomeOfFailure(
  failure: HttpFailure,
  maxBodyBytes: number,
): Refused | Unavailable {
  if (failure.reason === 'certificate') {
    return { kind: 'refused', reason: 'certificate', message: untrustedCertificate(failure) };
  }
  if (failure.reason === 'key-in-request') {
    return { kind: 'refused', reason: 'key-in-request', message: KEY_IN_REQUEST };
  }
  if (failure.reason === 'unreachable') {
    return { kind: 'unavailable', reason: 'unreachable', message: noConnection(failure) };
  }
  return outcomeOfNoJson(noBody(failure, maxBodyBytes), {});
}

/** Some of it is known before anything is read of the answer: https://undici.nodejs.org/#/docs/api/Errors. */
function brokenWords({ networkCode = '' }: HttpFailure): string {
  if (networkCode === 'UND_ERR_HEADERS_OVERFLOW')
    return 'its headers are longer than Node.js reads';
  return networkCode === NOT_HTTP ? 'it is no HTTP' : 'the connection broke';
}

function noBody(failure: HttpFailure, maxBodyBytes: number): NoJson {
  const code = failure.networkCode === undefined ? '' : ` (${failure.networkCode})`;
  const problems: Record<HttpFailure['reason'], string> = {
    network: `${brokenWords(failure)}${code}`,
    unreachable: `there was no connection${code}`,
    certificate: `the certificate is not trusted${code}`,
    'key-in-request': 'the request holds the key',
    timeout: 'it was not there before the deadline',
    aborted: 'the caller ended the request',
    'too-large': `the body is larger than ${maxBodyBytes} bytes`,
  };
  return { kind: 'no-json', reason: lossOf(failure), problem: problems[failure.reason] };
}

function emptyBody(answer: HttpAnswer): NoJson {
  const { headers, status } = answer;
  // A body of chunks has an end mark; compressed to nothing or ended by closing, it may have been cut.
  const isWhole = headers.has('transfer-encoding') && !headers.has('content-encoding');
  const isMeant = [204, 205].includes(status) || headers.get('content-length') === '0' || isWhole;
  return isMeant ? { kind: 'no-json', reason: 'empty', problem: 'the body is empty' } : cut();
}

function cut(): NoJson {
  return { kind: 'no-json', reason: 'cut', problem: 'the body ends in the middle of its JSON' };
}

function complex(problem: string): NoJson {
  return { kind: 'no-json', reason: 'too-complex', problem };
}

function notJson(problem: string): NoJson {
  return { kind: 'no-json', reason: 'not-json', problem };
}

function mediaType(answer: HttpAnswer): string {
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(answer.headers.get('content-type') ?? '')?.[0];
  // No registered type is longer (RFC 6838 section 4.2).
  return type === undefined ? 'not told' : shownText(type, 127);
}

/** A UTF-8 character has up to 4 bytes, so a cut one leaves 1 to 3 behind. */
function endsInsideCharacter(bytes: Uint8Array): boolean {
  return [1, 2, 3].some(
    (left) => left <= bytes.length && isUtf8(bytes.subarray(0, bytes.length - left)),
  );
}
