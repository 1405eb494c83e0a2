import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StartInput } from '../../functions/start-input.ts';

export interface ExportScheduleProps {
  readonly connection: string;
  /** `rate(…)` or `cron(…)`, in UTC. */
  readonly expression: string;
  readonly startExport: IFunction;
  /** Takes starts that the scheduler could not hand over. */
  readonly undelivered: IQueue;
}

/** Starts the exports of one connection again and again. */
export class ExportSchedule extends Construct {
  constructor(scope: Construct, id: string, props: ExportScheduleProps) {
    super(scope, id);
    const { connection, expression, startExport, undelivered } = props;
    const input: StartInput = {
      connection,
      // The time that was planned, not the time of delivery: a start delivered twice starts one export.
      trigger: { kind: 'schedule', scheduledTime: ContextAttribute.scheduledTime },
    };
    new Schedule(this, 'Schedule', {
      description: `Exports of ${connection}`,
      schedule: ScheduleExpression.expression(expression),
      target: new LambdaInvoke(startExport, {
        input: ScheduleTargetInput.fromObject(input),
        retryAttempts: 10, // with the scheduler's growing waits about an hour
        maxEventAge: Duration.hours(1), // a start that is later still belongs to the next one
        deadLetterQueue: undelivered,
      }),
    });
  }
}
