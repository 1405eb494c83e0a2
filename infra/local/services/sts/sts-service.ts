import {
  type AwsService,
  answerError,
  answerQueryError,
  answerWith,
  answerXml,
  serviceError,
  takesXml,
  xmlElements,
} from '../../endpoint/aws-call.ts';
import type { Access } from '../../iam/access.ts';
import type { AccountPlace } from '../../template/place.ts';

/** AWS STS for the callers of the endpoint: GetCallerIdentity, which needs no right, as XML or as JSON. */
export function stsService(
  access: Pick<Access, 'nameOf'>,
  { accountId: Account }: AccountPlace,
): AwsService {
  return async ({ caller, request, body, response }) => {
    const action = new URLSearchParams(body.toString()).get('Action') ?? '';
    const isXml = takesXml(request);
    if (action !== 'GetCallerIdentity') {
      const message = `The local endpoint does not run ${action}; it runs GetCallerIdentity.`;
      const answerProblem = isXml ? answerQueryError : answerError;
      return answerProblem(response, serviceError('InvalidAction', message));
    }
    const identity = { Arn: access.nameOf(caller), UserId: caller, Account };
    if (isXml) {
      const result = `<GetCallerIdentityResult>${xmlElements(identity)}</GetCallerIdentityResult>`;
      return answerXml(
        response,
        200,
        `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</GetCallerIdentityResponse>`,
      );
    }
    const answer = { GetCallerIdentityResponse: { GetCallerIdentityResult: identity } };
    answerWith(response, 200, JSON.stringify(answer), { 'content-type': 'application/json' });
  };
}
