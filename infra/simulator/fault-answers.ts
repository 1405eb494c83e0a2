import { gzipSync, constants as zlib } from 'node:zlib';
import { type Answer, errorAnswer, type HeaderLine, httpDate, jsonAnswer } from './answer.ts';
import type { FaultKind } from './faults.ts';

const LOGIN_PAGE =
  '<!DOCTYPE html><html><head><title>Sign in</title></head><body><form><input name="user"></form></body></html>';

/** The answer that a fault puts in the place of the ordinary one; undefined when it puts none. */
export function replacedAnswer(fault: FaultKind, dateMs: number): Answer | undefined {
  switch (fault.kind) {
    case 'status':
      return statusAnswer(fault, dateMs);
    case 'error-body-200':
      return errorAnswer(200, 'internal_error', 'Something went wrong.');
    case 'html':
      return answerOf(200, [['Content-Type', 'text/html; charset=utf-8']], LOGIN_PAGE);
    case 'empty-200':
      return jsonAnswer(200, '');
    case 'no-content-204':
      return answerOf(204, []);
    case 'json-null':
      return jsonAnswer(200, 'null');
    case 'json-empty-object':
      return jsonAnswer(200, '{}');
    case 'redirect':
      return answerOf(fault.status, [['Location', fault.location]]);
    case 'gzip-bomb':
      return bombOf(fault.decodedBytes);
    default:
      return undefined;
  }
}

/** The ordinary answer as a fault changes it. */
export function changedAnswer(fault: FaultKind | undefined, answer: Answer, key: string): Answer {
  switch (fault?.kind) {
    case 'gzip':
      return gzipped(answer);
    case 'truncated-gzip': {
      const whole = gzipped(answer);
      return { ...whole, body: whole.body.subarray(0, Math.floor(whole.body.length / 2)) };
    }
    case 'bad-utf8':
      return { ...answer, body: withBadUtf8(answer.body) };
    case 'utf-8-bom':
      return { ...answer, body: Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), answer.body]) };
    case 'echo-key':
      return echoing(fault, key, answer);
    case 'error-after-effect':
      // A write that was refused had no effect: its own answer is the right one.
      return answer.status < 300
        ? errorAnswer(fault.status, 'internal_error', 'Something went wrong.')
        : answer;
    default:
      return answer;
  }
}

function answerOf(status: number, headers: readonly HeaderLine[], text = ''): Answer {
  return { status, headers, body: Buffer.from(text) };
}

function statusAnswer(fault: FaultKind & { kind: 'status' }, dateMs: number): Answer {
  const headers = Object.entries(fault.headers).flatMap(([name, value]) =>
    [value].flat().map((one): HeaderLine => [name, withDates(one, dateMs)]),
  );
  const { status, body } = fault;
  if (body === undefined) {
    return errorAnswer(status, `status_${status}`, `Simulated status ${status}.`, headers);
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const typed = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return typed ? answerOf(status, headers, text) : jsonAnswer(status, text, headers);
}

function withDates(value: string, dateMs: number): string {
  return value.replace(
    /\{(date|rfc850|asctime)([+-]\d+)\}/g,
    (_, form: 'date' | 'rfc850' | 'asctime', seconds: string) =>
      httpDate(dateMs + Number(seconds) * 1000, form),
  );
}

function gzipped(answer: Answer): Answer {
  return {
    ...answer,
    headers: [...answer.headers, ['Content-Encoding', 'gzip']],
    body: gzipSync(answer.body, { level: zlib.Z_BEST_SPEED }),
  };
}

/** Packing one takes a second or two, so each size is packed once. */
const bombs = new Map<number, Answer>();

/** One page with one customer whose notes have no end. */
function bombOf(decodedBytes: number): Answer {
  const known = bombs.get(decodedBytes);
  if (known !== undefined) return known;
  const head = '{"customers":[{"id":1,"notes":"';
  const tail = '"}]}';
  const body = Buffer.alloc(decodedBytes, 'A');
  body.write(head);
  body.write(tail, decodedBytes - tail.length);
  const bomb = gzipped(jsonAnswer(200, body));
  bombs.set(decodedBytes, bomb);
  return bomb;
}

/** Overwrites the first letter inside a text with a byte that UTF-8 never has (RFC 3629 section 1). */
function withBadUtf8(body: Buffer): Buffer {
  const bad = Buffer.from(body);
  const quote = bad.indexOf('":"');
  bad[quote < 0 ? 0 : quote + 3] = 0xff;
  return bad;
}

type KeyEcho = FaultKind & { kind: 'echo-key' };

function echoing({ where, form }: KeyEcho, key: string, answer: Answer): Answer {
  const text = formOf(key, form);
  switch (where) {
    case 'header':
      return { ...answer, headers: [...answer.headers, ['X-Debug-Key', text]] };
    case 'error-body':
      return jsonAnswer(400, `{"error":{"code":"bad_request","message":"Bad key ${text}."}}`);
    case 'body':
      return withFirstMember(answer, `"debug":"${text}"`);
    case 'next-url':
      return withFirstMember(answer, `"next":"https://localhost/2.0/customers?page=2&key=${text}"`);
  }
}

function formOf(key: string, form: KeyEcho['form']): string {
  if (form === 'plain') return JSON.stringify(key).slice(1, -1);
  if (form === 'base64') return Buffer.from(key).toString('base64');
  return [...key].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

/** Only objects have members: a bare array gets an object as its first item. */
function withFirstMember(answer: Answer, member: string): Answer {
  const text = answer.body.toString();
  const body = text.startsWith('{')
    ? `{${member}${/^\{\s*\}/.test(text) ? '' : ','}${text.slice(1)}`
    : `[{${member}}${/^\[\s*\]/.test(text) ? '' : ','}${text.slice(1)}`;
  return { ...answer, body: Buffer.from(body) };
}
