import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EXPORT_REQUESTED } from '../../../functions/messages/export-requested.ts';
import { requestedEvents } from '../foundation/requested-events.ts';

export interface ExportEventsProps {
  readonly integrationId: string;
  readonly eventBus: IEventBus;
  readonly startExport: IFunction;
  readonly undelivered: IQueue;
}

/** Starts an export for each event `Export Requested` on the bus that names the integration. */
export class ExportEvents extends Construct {
  constructor(scope: Construct, id: string, props: ExportEventsProps) {
    super(scope, id);
    const { integrationId, eventBus, startExport, undelivered } = props;
    new Rule(this, 'Requested', {
      description: 'Starts the exports that events ask for',
      eventBus,
      eventPattern: requestedEvents(this, integrationId, EXPORT_REQUESTED),
      // The whole event: if it cannot be parsed, the queue keeps it as it was sent.
      targets: [new LambdaTarget(startExport, { deadLetterQueue: undelivered })],
    });
  }
}
