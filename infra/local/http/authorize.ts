import type { HttpRoute } from './api-definition.ts';

/** What an authorizer adds to the event, or that it lets nobody in. */
type Authorized =
  | { readonly kind: 'authorized'; readonly authorizer: object | undefined }
  | { readonly kind: 'unauthorized' };

/**
 * Stands in for API Gateway's authorizers. Only this machine reaches the server, so a request to a route
 * under IAM needs no signature and its caller is `local`. A route under JWT asks for a bearer token of the
 * right form; the token is **not verified**, since its issuer's keys are not here.
 */
export function authorize(
  authorization: HttpRoute['authorization'],
  header: string | undefined,
  accountId: string,
): Authorized {
  switch (authorization) {
    case 'NONE':
      return { kind: 'authorized', authorizer: undefined };
    case 'AWS_IAM':
      return { kind: 'authorized', authorizer: { iam: localIdentity(accountId) } };
    case 'JWT': {
      const claims = claimsOf(header);
      if (claims === undefined) return { kind: 'unauthorized' };
      return { kind: 'authorized', authorizer: { jwt: { claims, scopes: null } } };
    }
  }
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
  if (encoded === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined;
    return Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, String(value)]));
  } catch {
    return undefined;
  }
}
