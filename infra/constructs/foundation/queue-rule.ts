import { Rule, type RuleProps } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface QueueRuleProps extends Omit<RuleProps, 'targets'> {
  readonly queue: IQueue;
  /** Keeps the events that could not be put into the queue. */
  readonly undelivered: IQueue;
}

/**
 * Puts matching events into a queue. Not the CDK's target: for a queue with a KMS key of yours that one lets
 * EventBridge deliver the events of any rule, of every account.
 */
export class QueueRule extends Rule {
  constructor(scope: Construct, id: string, { queue, undelivered, ...props }: QueueRuleProps) {
    super(scope, id, props);
    for (const each of [queue, undelivered]) {
      // EventBridge user guide, "Using resource-based policies", Amazon SQS permissions.
      each.addToResourcePolicy(
        new PolicyStatement({
          principals: [new ServicePrincipal('events.amazonaws.com')],
          actions: ['sqs:SendMessage'],
          resources: [each.queueArn],
          conditions: { ArnEquals: { 'aws:SourceArn': this.ruleArn } },
        }),
      );
    }
    this.addTarget({
      bind: () => ({
        arn: queue.queueArn,
        deadLetterConfig: { arn: undelivered.queueArn },
        targetResource: queue,
      }),
    });
  }
}
