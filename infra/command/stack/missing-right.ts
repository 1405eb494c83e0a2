import { AwsCallError } from '../../../functions/aws/call-aws.ts';
import { isUnreadable } from '../../../lib/steps/unreadable-item.ts';
import { CommandError } from '../command-error.ts';

export const RIGHTS_HINT = 'docs/command.md lists what each command needs.';
export const SIGN_IN_HINT = 'Sign in, or add --profile.';

/** What the calls of an integration are about, for a person who has to add a right. */
export interface CalledResources {
  readonly table: string;
  readonly bucket: string;
  readonly queues: readonly string[];
  /** Known once the environment of its functions is read. */
  readonly bus?: string | undefined;
}

const NO_RIGHT = /AccessDenied|NotAuthorized|Unauthorized|Forbidden/i;
const NOT_SIGNED_IN =
  /Credentials|ExpiredToken|InvalidClientTokenId|UnrecognizedClient|InvalidAccessKeyId|SignatureDoesNotMatch/;

/** An error of the adapters of the functions, as the person is told: there, the advice is for who deploys them. */
export function explained(error: unknown, resources: CalledResources): unknown {
  if (isUnreadable(error)) return new CommandError(error.message);
  if (!(error instanceof AwsCallError)) return error;
  const { operation, awsCode, status } = error;
  const [service = '', call = ''] = operation.split(' ');
  if (NO_RIGHT.test(awsCode)) {
    const [prefix, resource] = placeOf(service, call, resources);
    return new CommandError(
      `These credentials need ${prefix}:${call} on ${resource}. ${RIGHTS_HINT}`,
    );
  }
  if (NOT_SIGNED_IN.test(awsCode)) {
    return new CommandError(`AWS refuses these credentials (${awsCode}). ${SIGN_IN_HINT}`);
  }
  // What `safeClient` throws: the adapters hand on its name alone.
  if (awsCode === 'CommandError') {
    return new CommandError(
      `${operation} was not sent: the address given for ${service} has no https. Check AWS_ENDPOINT_URL and its like, and endpoint_url of the profile.`,
    );
  }
  const isPassing = status === undefined || status === 429 || status >= 500;
  return new CommandError(`${operation} failed: ${awsCode}.`, { isPassing });
}

function placeOf(
  service: string,
  call: string,
  { table, bucket, queues, bus }: CalledResources,
): readonly [prefix: string, resource: string] {
  switch (service) {
    case 'DynamoDB':
      return ['dynamodb', `the table ${table}${call === 'Query' ? ' and its indexes' : ''}`];
    case 'SQS':
      return ['sqs', `the queue ${queues.join(' or ')}`];
    case 'EventBridge':
      return ['events', `the event bus ${bus ?? 'of the integration'}`];
    case 'S3':
      return ['s3', `arn:aws:s3:::${bucket}/exports/*`];
    default:
      return [service.toLowerCase(), 'the integration'];
  }
}
