import { isJsonObject, parseJson } from '../../../lib/json/json-value.ts';
import type { HttpRoute } from './http-api.ts';

/**
 * Stands in for API Gateway's authorizers. Only this machine reaches the server, so a request to a route
 * under IAM needs no signature and its caller is `local`. A route under JWT asks for a bearer token of the
 * right form; the token is **not verified**, since its issuer's keys are not here.
 *
 * @returns What the authorizer adds to the event; `undefined` when it lets nobody in.
 */
export function authorize(
  authorization: HttpRoute['authorization'],
  header: string | undefined,
  accountId: string,
): object | undefined {
  if (authorization === 'AWS_IAM') return { iam: localIdentity(accountId) };
  const claims = claimsOf(header);
  return claims && { jwt: { claims, scopes: null } };
}

function localIdentity(accountId: string) {
  return {
    accessKey: 'local',
    accountId,
    callerId: 'local',
    cognitoIdentity: null,
    principalOrgId: null,
    userArn: `arn:aws:iam::${accountId}:user/local`,
    userId: 'local',
  };
}

/** The claims of `Bearer header.claims.signature` (RFC 7519 section 3), as texts like API Gateway's. */
function claimsOf(header: string | undefined): Readonly<Record<string, string>> | undefined {
  const encoded = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/i.exec(header ?? '')?.[1];
  const claims = encoded && parseJson(Buffer.from(encoded, 'base64url').toString());
  if (!isJsonObject(claims)) return undefined;
  return Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, String(value)]));
}
