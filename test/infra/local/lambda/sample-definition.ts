import type { FunctionDefinition } from '../../../../infra/local/lambda/function-definition.ts';

/** Of a function that nobody runs. */
export const sampleDefinition: FunctionDefinition = {
  logicalId: 'Worker',
  name: 'worker',
  arn: 'arn',
  taskRoot: '/',
  handler: 'index.handler',
  variables: {},
  memoryMb: 128,
  timeoutSeconds: 1,
  logGroup: 'group',
  deadLetterArn: undefined,
  credentials: { accessKeyId: 'KEY', secretAccessKey: 'secret', sessionToken: 'token' },
};
