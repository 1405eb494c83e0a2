import type { Caller, IamRequest } from './request.ts';
import type { Statement } from './statement.ts';

/** What the policies of one account say of a call. */
export type Decision =
  | { readonly kind: 'allowed'; readonly by: readonly Statement[] }
  /** Without a statement: nothing allows it. */
  | { readonly kind: 'denied'; readonly by: Statement | undefined };

export interface Policies {
  /** Of the role that calls. */
  readonly identity: readonly Statement[];
  /** Of the resource that is called. */
  readonly resource: readonly Statement[];
}

/**
 * Decides as IAM does within one account: an explicit deny wins, then any allow of the role or of the
 * resource, else the call is denied (IAM user guide, "Policy evaluation logic").
 */
export function decide(
  { identity, resource }: Policies,
  caller: Caller,
  request: IamRequest,
): Decision {
  const context = { ...caller.context, ...request.context };
  const applies = ({ matchesAction, matchesResource, matchesContext }: Statement) =>
    matchesAction(request.action) && matchesResource(request.resource) && matchesContext(context);
  const matching = [
    ...identity.filter(applies),
    ...resource.filter((statement) => statement.matchesPrincipal(caller) && applies(statement)),
  ];
  const denial = matching.find(({ effect }) => effect === 'Deny');
  if (denial !== undefined) return { kind: 'denied', by: denial };
  if (matching.length > 0 || caller.kind === 'administrator') {
    return { kind: 'allowed', by: matching };
  }
  return { kind: 'denied', by: undefined };
}
