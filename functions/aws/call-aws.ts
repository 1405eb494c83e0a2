import { textIn } from '../../lib/errors.ts';

/**
 * A call to an AWS service that did not succeed after the SDK's own retries. It carries what a person
 * needs to look it up and nothing of the request or the answer: those hold messages, items and secrets.
 */
export class AwsCallError extends Error {
  override readonly name = 'AwsCallError';
  readonly code = 'AWS_CALL_FAILED';
  /** Service and operation, such as `SQS SendMessage`. */
  readonly operation: string;
  /** The service's or the network's own code, such as `AccessDeniedException` or `ECONNREFUSED`. */
  readonly awsCode: string;
  /** HTTP status; absent when there was no answer. */
  readonly status?: number;

  constructor(operation: string, awsCode: string, status?: number, requestId?: string) {
    const facts = [
      ...(status === undefined ? [] : [`status ${status}`]),
      ...(requestId === undefined ? [] : [`request id ${requestId}`]),
    ];
    super(
      `${operation} failed: ${awsCode}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}. ${adviceFor(awsCode)}`,
    );
    this.operation = operation;
    this.awsCode = awsCode;
    if (status !== undefined) this.status = status;
  }
}

/**
 * Runs one call of an SDK client.
 *
 * @throws AwsCallError in place of the SDK's error, which refers to request and response.
 */
export async function callAws<T>(operation: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof AwsCallError) throw error;
    const { awsCode, status, requestId } = factsOf(error);
    throw new AwsCallError(operation, awsCode, status, requestId);
  }
}

/** Whether the error is the named outcome of an AWS call, such as `ConditionalCheckFailedException`. */
export function isAwsCode(error: unknown, ...awsCodes: readonly string[]): boolean {
  return error instanceof AwsCallError && awsCodes.includes(error.awsCode);
}

/** What the work gives; `undefined` where the bucket has no object that it reads. */
export async function unlessNoSuchKey<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAwsCode(error, 'NoSuchKey')) return undefined;
    throw error;
  }
}

function factsOf(error: unknown) {
  const name = wordIn(error, 'name');
  // Errors of Node itself are all named Error or TypeError; what they are is in `code`.
  const generic = name === undefined || name === 'Error' || name === 'TypeError';
  const awsCode = (generic ? wordIn(error, 'code') : name) ?? 'UnknownError';
  const { $metadata: metadata } = Object(error);
  const { httpStatusCode: status } = Object(metadata);
  return {
    awsCode,
    status: typeof status === 'number' ? status : undefined,
    requestId: wordIn(metadata, 'requestId'),
  };
}

/** A member that is one short word: a sentence might quote what was sent. */
function wordIn(value: unknown, member: string): string | undefined {
  const text = textIn(value, member);
  return text !== undefined && /^[\w.:/=+-]{1,128}$/.test(text) ? text : undefined;
}

function adviceFor(awsCode: string): string {
  if (/AccessDenied|NotAuthorized|Forbidden/i.test(awsCode)) {
    return "Compare the role of the function, and the resource's own policy, with what the stack grants.";
  }
  if (/NotFound|NotExist|NoSuch/i.test(awsCode)) {
    return 'The resource is not there: deploy the stack again, or look whether somebody deleted it.';
  }
  if (/Decrypt|KMS|Kms/.test(awsCode)) {
    return 'Look whether the KMS key is enabled and its policy lets the role of the function use it.';
  }
  return 'The message comes back and the work is tried again; look at the state of the service if it lasts.';
}
