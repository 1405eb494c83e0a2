import type { Context } from 'aws-lambda';

/** Lambda's context of an invocation with a minute left. */
export function lambdaContext(): Context {
  return {
    awsRequestId: 'request-1',
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'run-export',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:run-export',
    memoryLimitInMB: '1024',
    logGroupName: '/aws/lambda/run-export',
    logStreamName: 'stream',
    getRemainingTimeInMillis: () => 60_000,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}
