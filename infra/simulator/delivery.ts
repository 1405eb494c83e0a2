import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, headerValues } from './answer.ts';
import type { FaultKind } from './faults.ts';

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
      head(response, answer);
      response.write(firstHalf(answer), () => response.socket?.end());
      return;
    case 'cut-close-delimited':
      // Without a length and without chunks the end of the connection is the end of the body.
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
      head(response, answer, false);
      response.end(firstHalf(answer));
      return;
    case 'reset-mid-body':
      head(response, answer);
      await new Promise((resolve) => response.write(firstHalf(answer), resolve));
      await pause(READING_MS, line.closing);
      line.tcp.resetAndDestroy();
      return;
    case 'headers-then-silence':
      head(response, answer);
      response.flushHeaders();
      return;
    case 'slow-drip':
      head(response, answer);
      return drip(line, answer.body, fault.bytes, fault.everyMs);
    default:
      head(response, answer, answer.status !== 204);
      response.end(answer.body);
  }
}

function head(response: ServerResponse, answer: Answer, hasLength = true): void {
  // A fault may lie about the length itself.
  const isTold = headerValues(answer.headers, 'Content-Length').length > 0;
  const length = hasLength && !isTold ? ['Content-Length', String(answer.body.length)] : [];
  response.writeHead(answer.status, [...answer.headers.flat(), ...length]);
}

function firstHalf(answer: Answer): Buffer {
  return answer.body.subarray(0, Math.floor(answer.body.length / 2));
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
