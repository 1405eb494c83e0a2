import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EXPORT_REQUESTED } from '../../../functions/messages/export-requested.ts';

export interface ExportEventsProps {
  readonly eventBus: IEventBus;
  readonly startExport: IFunction;
  readonly undelivered: IQueue;
}

/** Starts an export for each event `Export Requested` on the bus. */
export class ExportEvents extends Construct {
  constructor(scope: Construct, id: string, props: ExportEventsProps) {
    super(scope, id);
    const { eventBus, startExport, undelivered } = props;
    new Rule(this, 'Requested', {
      description: 'Starts the exports that events ask for',
      eventBus,
      eventPattern: {
        source: [EXPORT_REQUESTED.source],
        detailType: [EXPORT_REQUESTED.detailType],
      },
      // The whole event: if it cannot be parsed, the queue keeps it as it was sent.
      targets: [new LambdaTarget(startExport, { deadLetterQueue: undelivered })],
    });
  }
}
