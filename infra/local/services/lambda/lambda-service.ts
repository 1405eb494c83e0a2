import { type AwsService, answerError, answerWith, serviceError } from '../../endpoint/aws-call.ts';
import type { Access } from '../../iam/access.ts';
import type { FunctionInvoker } from '../../lambda/function-host.ts';
import type { AccountPlace } from '../../template/place.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** `POST …/invocations` and `GET …/configuration` (Lambda API reference). */
const PATH = /^\/2015-03-31\/functions\/([^/?]+)\/(invocations|configuration)$/;

/**
 * AWS Lambda for the callers of the endpoint: Invoke, which waits for the answer, and of GetFunctionConfiguration the
 * environment.
 */
export function lambdaService(
  host: FunctionInvoker,
  access: Pick<Access, 'refusal'>,
  { region, accountId }: AccountPlace,
): AwsService {
  return async ({ caller, request, body, response }) => {
    const [, given = '', what] = PATH.exec(request.url ?? '') ?? [];
    const isInvoke = what === 'invocations' && request.method === 'POST';
    if (!isInvoke && !(what === 'configuration' && request.method === 'GET')) {
      const message = `The local endpoint does not run ${request.method} ${request.url}; it runs Invoke and GetFunctionConfiguration.`;
      return answerError(response, serviceError('UnknownOperationException', message, 404));
    }
    const name = decodeURIComponent(given);
    const definition = host.find(name);
    const resource = definition?.arn ?? `arn:aws:lambda:${region}:${accountId}:function:${name}`;
    const action = isInvoke ? 'lambda:InvokeFunction' : 'lambda:GetFunctionConfiguration';
    const denial = access.refusal(caller, [{ action, resource }]);
    if (denial !== undefined) {
      return answerError(response, serviceError('AccessDeniedException', denial.message, 403));
    }
    if (definition === undefined) {
      const message = `Function not found: ${resource}`;
      return answerError(response, serviceError('ResourceNotFoundException', message, 404));
    }
    if (!isInvoke) {
      const configuration = { Environment: { Variables: definition.variables } };
      return answerWith(response, 200, JSON.stringify(configuration), JSON_TYPE);
    }
    const outcome = await host.invoke(definition, body.toString());
    if (outcome.kind === 'returned') {
      return answerWith(response, 200, outcome.payload, JSON_TYPE);
    }
    const failed = { ...JSON_TYPE, 'x-amz-function-error': 'Unhandled' };
    answerWith(response, 200, JSON.stringify(outcome.error), failed);
  };
}
