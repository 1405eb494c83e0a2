import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';

/** For clients of the AWS SDK. */
export type ClientSettings = Pick<
  ConstructorParameters<typeof CloudFormationClient>[0] & object,
  'region' | 'profile' | 'credentials'
>;
