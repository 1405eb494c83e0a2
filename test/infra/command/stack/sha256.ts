import { CloudFormationClient } from '@aws-sdk/client-cloudformation';

/** As the client of any AWS service has it. */
export const { sha256 } = new CloudFormationClient().config;
