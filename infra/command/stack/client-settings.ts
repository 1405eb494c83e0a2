import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';

export type ClientSettings = Pick<
  ConstructorParameters<typeof CloudFormationClient>[0] & object,
  'region' | 'profile' | 'credentials'
>;
