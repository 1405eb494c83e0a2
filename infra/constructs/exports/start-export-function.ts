import { Duration } from 'aws-cdk-lib';
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EXPORT_REQUESTED } from '../../../functions/messages/export-requested.ts';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import {
  type ExportResources,
  exportEnvironment,
  exportStatements,
} from '../foundation/export-resources.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import { allowSend } from '../foundation/queue-statements.ts';
import { requestedEvents } from '../foundation/requested-events.ts';

export interface StartExportFunctionProps {
  readonly resources: ExportResources;
  readonly undelivered: IQueue;
}

/** Starts exports: by schedule, by event, or by a direct invocation. */
export class StartExportFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: StartExportFunctionProps) {
    const { resources, undelivered } = props;
    super(scope, id, {
      file: 'start-export',
      description: 'Starts an export of a connection, or joins the one that runs',
      timeout: Duration.seconds(100), // about six calls; each may take 15 s with the SDK's retries
      environment: {
        ...exportEnvironment(resources),
        [ENVIRONMENT.deadLetterQueueUrl]: undelivered.queueUrl,
      },
      deadLetterQueue: undelivered,
      statements: [
        resources.secrets.allowRead(),
        resources.secrets.allowFingerprint(),
        ...exportStatements(resources),
        allowSend(undelivered),
        resources.ledger.allow('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'),
      ],
    });
  }
}

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
