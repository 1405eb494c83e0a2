import * as v from 'valibot';
import { defined } from '../../../lib/defined.ts';
import { parseJson } from '../../../lib/json/json-value.ts';
import { CommandError } from '../command-error.ts';
import { waitFor } from '../wait-for.ts';
import type { IntegrationApi } from './integration-api.ts';
import { safeUrl } from './safe-url.ts';
import { type SignedRequest, type Signer, signedCall } from './signed-call.ts';

/** Longer than the longest answer of API Gateway (quota: 30 s). */
const DEADLINE_MS = 40_000;

/**
 * API Gateway answers 429 before the function is called, and tells no wait. By default it lets 10 requests a second in
 * (`throttle` of the stage), so one of a command gets its turn soon.
 */
const TRIES = 10;
const THROTTLED_MS = 1_000;

const ProblemSchema = v.object({ detail: v.string(), code: v.optional(v.string()) });

export function createHttpApi(base: string, signer: Signer): IntegrationApi {
  return {
    ask: async (connection, path, { method = 'GET', query = {}, body, headers = {} } = {}) => {
      const segments = ['connections', connection, ...path].map(encodeURIComponent);
      const url = safeUrl(`${base.replace(/\/$/, '')}/${segments.join('/')}`);
      for (const [name, value] of Object.entries(defined(query)))
        url.searchParams.set(name, String(value));
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const { status, said } = await admitted(signer, url, {
        method,
        headers: { ...headers, ...json },
        ...(body && { body: JSON.stringify(body) }),
        deadlineMs: DEADLINE_MS,
        acts: method === 'POST',
      });
      if (isOk(status)) return said;
      throw new CommandError(problemIn(status, said), { isPassing: isPassing(status) });
    },
  };
}

/** The answer of the function, or the last one of the gateway. */
async function admitted(signer: Signer, url: URL, request: SignedRequest) {
  for (let tries = 1; ; tries += 1) {
    const answer = await signedCall(signer, 'execute-api', url, request);
    const isThrottled = answer.status === 429 && !isProblem(answer.said);
    if (!isThrottled || tries === TRIES) return answer;
    await waitFor(THROTTLED_MS, signer.signal);
  }
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
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
    return 'The HTTP API asks for a token (401), and this command signs with AWS credentials. Add --by services, which needs rights of your own (docs/command.md), or call it as docs/http-api.md shows.';
  }
  if (status === 404) {
    return 'The HTTP API has no such route (404): an integration without operations takes no writes, and one with compareExports false tells no changes.';
  }
  return `The HTTP API answered ${status}.`;
}
