import * as v from 'valibot';
import { parseJson } from '../../../lib/json/json-value.ts';
import { recordOf } from '../../../lib/record-of.ts';
import { CommandError } from '../command-error.ts';
import { RIGHTS_HINT, SIGN_IN_HINT } from './missing-right.ts';
import {
  endpointOf,
  type SignedAnswer,
  type SignedRequest,
  type Signer,
  signedCall,
} from './signed-call.ts';

/** Longer than the timeout of the function that starts exports, which is the only one that is invoked. */
export const INVOKE_DEADLINE_MS = 110_000;
/** AWS answers to these in a fraction of a second. */
const READ_DEADLINE_MS = 10_000;

const OK = 200;
const ConfigurationSchema = v.object({
  Environment: v.object({ Variables: recordOf(v.string(), v.string()) }),
});
const ErrorSchema = v.object({ errorMessage: v.string() });
// Lambda says Message, and services of the JSON protocol message.
const RefusalSchema = v.union([
  v.pipe(
    v.object({ Message: v.string() }),
    v.transform(({ Message }) => Message),
  ),
  v.pipe(
    v.object({ message: v.string() }),
    v.transform(({ message }) => message),
  ),
]);
const IdentitySchema = v.object({
  GetCallerIdentityResponse: v.object({
    GetCallerIdentityResult: v.object({ Arn: v.pipe(v.string(), v.minLength(1)) }),
  }),
});

/** Functions of a deployed integration, called with the credentials of a person. */
export interface DeployedFunctions {
  /**
   * Invokes a function and waits for it.
   *
   * @returns The JSON text of its answer.
   * @throws CommandError with the message of the function when it fails.
   */
  invoke(name: string, event: object): Promise<string>;
  environmentOf(name: string): Promise<Readonly<Record<string, string>>>;
  /** The ARN of the person, which needs no right. */
  callerArn(): Promise<string>;
}

export function deployedFunctions(
  signer: Signer,
  environment: Readonly<Record<string, string | undefined>>,
): DeployedFunctions {
  const lambdaUrl = async (name: string, what: string) => {
    const base = endpointOf('lambda', await signer.region(), environment);
    return new URL(`/2015-03-31/functions/${encodeURIComponent(name)}/${what}`, base);
  };
  const read = (service: string, url: URL, request: Omit<SignedRequest, 'deadlineMs' | 'acts'>) =>
    signedCall(signer, service, url, { ...request, deadlineMs: READ_DEADLINE_MS, acts: false });
  return {
    invoke: async (name, event) => {
      const url = await lambdaUrl(name, 'invocations');
      const answer = await signedCall(signer, 'lambda', url, {
        method: 'POST',
        deadlineMs: INVOKE_DEADLINE_MS,
        acts: true,
        headers: {
          'content-type': 'application/json',
          'x-amz-invocation-type': 'RequestResponse',
        },
        body: JSON.stringify(event),
      });
      requireOk('lambda:InvokeFunction', name, answer);
      if (answer.headers.get('x-amz-function-error') === null) return answer.said;
      const failed = v.safeParse(ErrorSchema, parseJson(answer.said));
      throw new CommandError(
        failed.success ? failed.output.errorMessage : `The function ${name} failed: see its log.`,
      );
    },

    environmentOf: async (name) => {
      const answer = await read('lambda', await lambdaUrl(name, 'configuration'), {
        method: 'GET',
      });
      requireOk('lambda:GetFunctionConfiguration', name, answer);
      const parsed = v.safeParse(ConfigurationSchema, parseJson(answer.said));
      if (parsed.success) return parsed.output.Environment.Variables;
      throw new CommandError(
        `The environment of the function ${name} cannot be read. Where a KMS key of your own encrypts it, these credentials need kms:Decrypt on that key.`,
      );
    },

    callerArn: async () => {
      const region = await signer.region();
      const answer = await read('sts', endpointOf('sts', region, environment), {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'Action=GetCallerIdentity&Version=2011-06-15',
      });
      const parsed = v.safeParse(IdentitySchema, parseJson(answer.said));
      if (parsed.success) {
        return parsed.output.GetCallerIdentityResponse.GetCallerIdentityResult.Arn;
      }
      throw new CommandError(
        `AWS does not say who you are (status ${answer.status}). ${SIGN_IN_HINT}`,
      );
    },
  };
}

function requireOk(action: string, name: string, { status, said }: SignedAnswer): void {
  if (status === OK) return;
  const isPassing = status === 429 || status >= 500;
  if (status === 403) {
    throw new CommandError(
      `These credentials need ${action} on the function ${name}. ${RIGHTS_HINT}`,
    );
  }
  const parsed = v.safeParse(RefusalSchema, parseJson(said));
  const why = parsed.success ? parsed.output.slice(0, 500) : `status ${status}`;
  throw new CommandError(`${action} of the function ${name} failed: ${why}`, { isPassing });
}
