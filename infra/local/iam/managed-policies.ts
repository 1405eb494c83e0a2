/** AWS's own policies that stacks with functions name (AWS managed policy reference). */
export const awsManagedPolicies: Readonly<Record<string, object>> = {
  'service-role/AWSLambdaBasicExecutionRole': allowed(
    'logs:CreateLogGroup',
    'logs:CreateLogStream',
    'logs:PutLogEvents',
  ),
  'service-role/AWSLambdaSQSQueueExecutionRole': allowed(
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    'logs:CreateLogGroup',
    'logs:CreateLogStream',
    'logs:PutLogEvents',
  ),
  'service-role/AWSLambdaVPCAccessExecutionRole': allowed(
    'logs:CreateLogGroup',
    'logs:CreateLogStream',
    'logs:PutLogEvents',
    'ec2:CreateNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:DeleteNetworkInterface',
    'ec2:AssignPrivateIpAddresses',
    'ec2:UnassignPrivateIpAddresses',
  ),
  AWSXRayDaemonWriteAccess: allowed(
    'xray:PutTraceSegments',
    'xray:PutTelemetryRecords',
    'xray:GetSamplingRules',
    'xray:GetSamplingTargets',
    'xray:GetSamplingStatisticSummaries',
  ),
};

function allowed(...Action: readonly string[]): object {
  return { Statement: [{ Effect: 'Allow', Action, Resource: '*' }] };
}
