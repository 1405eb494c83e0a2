import { type AwsService, answerError, answerWith, serviceError } from '../../endpoint/aws-call.ts';
import type { Access } from '../../iam/access.ts';
import type { AccountPlace } from '../../template/place.ts';

/** AWS STS for the callers of the endpoint: GetCallerIdentity as JSON, which needs no right. */
export function stsService(
  access: Pick<Access, 'nameOf'>,
  { accountId: Account }: AccountPlace,
): AwsService {
  return async ({ caller, body, response }) => {
    const action = new URLSearchParams(body.toString()).get('Action') ?? '';
    if (action !== 'GetCallerIdentity') {
      const message = `The local endpoint does not run ${action}; it runs GetCallerIdentity.`;
      return answerError(response, serviceError('InvalidAction', message));
    }
    const identity = { Arn: access.nameOf(caller), UserId: caller, Account };
    const answer = { GetCallerIdentityResponse: { GetCallerIdentityResult: identity } };
    answerWith(response, 200, JSON.stringify(answer), { 'content-type': 'application/json' });
  };
}
