import { SignatureV4 } from '@smithy/signature-v4';
import * as v from 'valibot';
import { defined } from '../../../lib/defined.ts';
import { parseJson } from '../../../lib/json/json-value.ts';
import { CommandError } from '../command-error.ts';
import { waitFor } from '../wait-for.ts';
import { Hash } from './hash.ts';
import { safeUrl } from './safe-url.ts';

type SignerInit = ConstructorParameters<typeof SignatureV4>[0];

/** Who asks, and until when. */
interface Signer extends Pick<SignerInit, 'region' | 'credentials'> {
  readonly signal: AbortSignal;
}

interface Question {
  readonly method?: 'GET' | 'POST';
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The HTTP API of a deployed integration. */
export interface HttpApi {
  /**
   * Asks for one route, signed.
   *
   * @param path Below `/connections/{connection}`, each segment as it is.
   * @returns The JSON text of the answer, as it came.
   * @throws CommandError with what the API says is wrong.
   */
  ask(connection: string, path: readonly string[], question?: Question): Promise<string>;
}

/** Longer than the longest answer of API Gateway (quota: 30 s). */
const DEADLINE_MS = 40_000;

/**
 * API Gateway answers 429 before the function is called, and tells no wait. By default it lets 10 requests a second in
 * (`throttle` of the stage), so one of a command gets its turn soon.
 */
const TRIES = 10;
const THROTTLED_MS = 1_000;

const ProblemSchema = v.object({ detail: v.string(), code: v.optional(v.string()) });

export function createHttpApi(base: string, { signal, ...identity }: Signer): HttpApi {
  const signer = new SignatureV4({ ...identity, service: 'execute-api', sha256: Hash });
  return {
    ask: async (connection, path, { method = 'GET', query = {}, body, headers = {} } = {}) => {
      const segments = ['connections', connection, ...path].map(encodeURIComponent);
      const url = safeUrl(`${base.replace(/\/$/, '')}/${segments.join('/')}`);
      for (const [name, value] of Object.entries(defined(query)))
        url.searchParams.set(name, String(value));
      const text = body === undefined ? undefined : JSON.stringify(body);
      const signed = await signer.sign({
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: {
          host: url.host,
          ...headers,
          ...(text && { 'content-type': 'application/json' }),
        },
        ...defined({ body: text }),
      });
      const request = { method, headers: signed.headers, ...defined({ body: text }) };
      const { isOk, status, said } = await admitted(url, request, signal).catch(
        (error: unknown) => {
          throw unreached(url.origin, signal, error);
        },
      );
      if (isOk) return said;
      throw new CommandError(problemIn(status, said), { isPassing: isPassing(status) });
    },
  };
}

/** The answer of the function, or the last one of the gateway. */
async function admitted(url: URL, request: RequestInit, signal: AbortSignal) {
  for (let tries = 1; ; tries += 1) {
    const answer = await answered(url, request, signal);
    const isThrottled = answer.status === 429 && !isProblem(answer.said);
    if (!isThrottled || tries === TRIES) return answer;
    await waitFor(THROTTLED_MS, signal);
  }
}

/** The whole answer. */
async function answered(url: URL, request: RequestInit, signal: AbortSignal) {
  const answer = await fetch(url, {
    ...request,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
  });
  return { isOk: answer.ok, status: answer.status, said: await answer.text() };
}

function unreached(origin: string, signal: AbortSignal, error: unknown): unknown {
  if (signal.aborted) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
  const message = `${origin} does not answer${code}. Check the network, and --stack.`;
  return new CommandError(message, { isPassing: true });
}

/** Of a server that is overloaded, or fails. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Of the function: the gateway's own answers have no `detail`. */
function isProblem(said: string): boolean {
  return v.is(ProblemSchema, parseJson(said));
}

function problemIn(status: number, said: string): string {
  const parsed = v.safeParse(ProblemSchema, parseJson(said));
  if (parsed.success) return parsed.output.detail;
  if (status === 403) {
    return 'The HTTP API refuses these credentials (403). They need execute-api:Invoke on its route, see docs/command.md; check --profile and --region too.';
  }
  if (status === 401) {
    return 'The HTTP API asks for a token (401), and this command signs with AWS credentials. Deploy it with IAM authorization, or call it as docs/http-api.md shows.';
  }
  return `The HTTP API answered ${status}.`;
}
