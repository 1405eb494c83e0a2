import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { defined } from '../../../lib/defined.ts';
import { WildcardStatement } from './acknowledge.ts';
import { foundationOf } from './foundation.ts';

/**
 * Lambda's calls with a function's role for a VPC (developer guide, "Giving Lambda functions access to
 * resources in an Amazon VPC", required permissions).
 */
const ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

export function networkProps(scope: IConstruct): FunctionOptions {
  const { network } = foundationOf(scope);
  if (network === undefined) return {};
  const { vpc, vpcSubnets, securityGroups } = network;
  return {
    vpc,
    securityGroups: [...securityGroups],
    ...defined({ vpcSubnets }),
  };
}

/**
 * Lets Lambda create network interfaces with the function's role, but not the function itself: calls of the
 * code carry the function's ARN, Lambda's own calls do not (same page, "Additional security recommendations").
 */
export function allowNetwork(scope: IConstruct): readonly PolicyStatement[] {
  if (foundationOf(scope).network === undefined) return [];
  return [
    new WildcardStatement(
      { actions: ACTIONS, resources: ['*'] },
      'Lambda makes network interfaces as this role, whose ids are not known before; the next statement denies it to the code.',
    ),
    new PolicyStatement({
      effect: Effect.DENY,
      actions: ACTIONS,
      resources: ['*'],
      conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } },
    }),
  ];
}
