import { type Agent, request } from 'node:https';
import { DEMO_KEY } from '../../../infra/simulator/options.ts';
import type { Simulator } from '../../../infra/simulator/simulator.ts';
import { defined } from '../../../lib/defined.ts';

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
  readonly key?: string;
  /** Ends it without an answer. */
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly bytes: Buffer;
  readonly text: string;
  /** Code of the error that ended the body early. */
  readonly cut?: string;
}

/** Asks over a real TLS connection, trusting only the simulator's CA. Rejects when no head arrives. */
export function ask(simulator: Simulator, path: string, question: Question = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, body, agent = false, key = DEMO_KEY, signal } = question;
  return new Promise((resolve, reject) => {
    let headArrived = false;
    const outgoing = request(
      `${simulator.url}${path}`,
      {
        method,
        agent,
        ca: simulator.caPem,
        headers: { 'API-KEY': key, ...headers },
        ...defined({ signal }),
      },
      (incoming) => {
        headArrived = true;
        const chunks: Buffer[] = [];
        const done = (cut?: string) => {
          const bytes = Buffer.concat(chunks);
          const lines = new Map<string, string[]>();
          incoming.rawHeaders.forEach((name, index, raw) => {
            if (index % 2 === 1) return;
            const known = lines.get(name.toLowerCase()) ?? [];
            lines.set(name.toLowerCase(), [...known, raw[index + 1] ?? '']);
          });
          resolve({
            status: incoming.statusCode ?? 0,
            headers: lines,
            bytes,
            text: bytes.toString(),
            ...(cut === undefined ? {} : { cut }),
          });
        };
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => done());
        incoming.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'unknown'));
      },
    );
    // After the head the answer gets the same error and knows how far it came.
    outgoing.on('error', (error) => {
      if (!headArrived) reject(error);
    });
    outgoing.end(body);
  });
}

/** Asks for JSON and parses it. */
export async function askJson(simulator: Simulator, path: string, question?: Question) {
  const reply = await ask(simulator, path, question);
  const value: unknown = JSON.parse(reply.text);
  return { ...reply, value };
}

export function write(method: string, body: string, headers: Record<string, string> = {}) {
  return { method, body, headers: { 'Content-Type': 'application/json', ...headers } };
}
