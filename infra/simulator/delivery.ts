import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type HeaderLine, headerValues } from './answer.ts';
import type { FaultKind } from './faults.ts';

/** Where an answer goes. */
export interface Line {
  readonly response: ServerResponse;
  /** The TCP connection under TLS: only it can be reset. */
  readonly tcp: Socket;
  /** Aborted when the simulator closes. */
  readonly closing: AbortSignal;
}

/** A reset throws away what the client has received but not read yet: time to read the first half. */
const READING_MS = 30;

/** Sends an answer, well or as badly as the fault says. Resolves when the last byte was handed over. */
export async function deliver(line: Line, answer: Answer, fault?: FaultKind): Promise<void> {
  const { response } = line;
  switch (fault?.kind) {
    case 'cut-body':
      head(response, answer, lengthOf(answer));
      return cutAfter(response, firstHalf(answer));
    case 'cut-close-delimited':
      // Without a length and without chunks the end of the connection is the end of the body.
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
      head(response, answer, []);
      response.end(firstHalf(answer));
      return;
    case 'reset-mid-body':
      head(response, answer, lengthOf(answer));
      await new Promise((resolve) => response.write(firstHalf(answer), resolve));
      await pause(READING_MS, line.closing);
      line.tcp.resetAndDestroy();
      return;
    case 'headers-then-silence':
      head(response, answer, lengthOf(answer));
      response.flushHeaders();
      return;
    case 'slow-drip':
      head(response, answer, lengthOf(answer));
      return drip(line, answer.body, fault.bytes, fault.everyMs);
    default:
      head(response, answer, answer.status === 204 ? [] : lengthOf(answer));
      response.end(answer.body);
  }
}

function head(response: ServerResponse, answer: Answer, more: readonly HeaderLine[]): void {
  response.writeHead(answer.status, [...answer.headers, ...more].flat());
}

function lengthOf(answer: Answer): readonly HeaderLine[] {
  // A fault may lie about the length itself.
  if (headerValues(answer.headers, 'Content-Length').length > 0) return [];
  return [['Content-Length', String(answer.body.length)]];
}

function firstHalf(answer: Answer): Buffer {
  return answer.body.subarray(0, Math.floor(answer.body.length / 2));
}

function cutAfter(response: ServerResponse, part: Buffer): void {
  response.write(part, () => response.socket?.end());
}

async function drip(line: Line, body: Buffer, bytes: number, everyMs: number): Promise<void> {
  for (let offset = 0; offset < body.length && !line.response.destroyed; offset += bytes) {
    line.response.write(body.subarray(offset, offset + bytes));
    await pause(everyMs, line.closing);
  }
  line.response.end();
}

/** Waits in real time; ends early when the simulator closes. */
export async function pause(ms: number, closing: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await wait(ms, undefined, { signal: closing }).catch(() => undefined);
}
