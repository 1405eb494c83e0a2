import type { IncomingMessage } from 'node:http';
import { isJsonObject, parseJson } from '../../../lib/json/json-value.ts';
import type { Callers } from '../endpoint/callers.ts';
import type { Access } from '../iam/access.ts';
import type { HttpRoute } from './http-api.ts';

export type Authorization =
  | { readonly kind: 'refused'; readonly as: 'Unauthorized' | 'Forbidden' }
  | {
      readonly kind: 'open';
      /** @returns What it adds to the event; `undefined` when it does not let the request in. */
      letIn(body: Buffer): Promise<object | undefined>;
    };

export interface AuthorizerServices {
  readonly access: Pick<Access, 'refusal'>;
  readonly callers: Pick<Callers, 'identify'>;
  readonly place: { readonly accountId: string };
}

/**
 * Stands in for API Gateway's authorizers. A route under IAM takes requests that a caller of the stack has
 * signed for `execute-api` and that its role allows. A route under JWT asks for a bearer token of the right
 * form; the token is **not verified**, since its issuer's keys are not here.
 */
export function authorize(
  authorization: HttpRoute['authorization'],
  request: IncomingMessage,
  resource: string,
  { access, callers, place }: AuthorizerServices,
): Authorization {
  if (authorization === 'JWT') {
    const claims = claimsOf(request.headers.authorization);
    if (claims === undefined) return { kind: 'refused', as: 'Unauthorized' };
    return { kind: 'open', letIn: async () => ({ jwt: { claims } }) };
  }
  const claim = callers.identify(request, Date.now());
  if (claim.kind === 'refused' || claim.service !== 'execute-api') {
    return { kind: 'refused', as: 'Forbidden' };
  }
  return {
    kind: 'open',
    letIn: async (body) => {
      const right = { action: 'execute-api:Invoke', resource };
      const isRefused =
        (await claim.verify(body)) !== undefined ||
        access.refusal(claim.caller, [right]) !== undefined;
      return isRefused
        ? undefined
        : { iam: { userArn: `arn:aws:iam::${place.accountId}:user/local` } };
    },
  };
}

/** The claims of `Bearer header.claims.signature` (RFC 7519 section 3), as texts like API Gateway's. */
function claimsOf(header: string | undefined): Readonly<Record<string, string>> | undefined {
  const encoded = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/i.exec(header ?? '')?.[1];
  const claims = encoded && parseJson(Buffer.from(encoded, 'base64url').toString());
  if (!isJsonObject(claims)) return undefined;
  return Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, String(value)]));
}
