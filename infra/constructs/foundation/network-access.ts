import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { defined } from '../../../lib/defined.ts';
import { WildcardStatement } from './acknowledge.ts';
import { foundationOf } from './foundation.ts';

/**
 * What Lambda does with a function's role to put it into a VPC (developer guide, "Giving Lambda functions
 * access to resources in an Amazon VPC", required permissions).
 */
const ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Where a function runs. */
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
 * Lets Lambda make network interfaces as the role of a function, and the function itself not: its own calls
 * carry its ARN, those that Lambda makes for it do not (same page, "Additional security recommendations").
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
