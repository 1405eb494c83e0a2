import { Duration } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import {
  type ExportResources,
  exportEnvironment,
  exportStatements,
} from '../foundation/export-resources.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import { allowSend } from './export-queue.ts';

export interface StartExportFunctionProps {
  readonly resources: ExportResources;
  /** Takes starts that failed three times, and events that cannot be understood. */
  readonly undelivered: IQueue;
}

/** Starts exports: by schedule, by event, or invoked by hand. */
export class StartExportFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: StartExportFunctionProps) {
    const { resources, undelivered } = props;
    super(scope, id, {
      file: 'start-export',
      description: 'Starts an export of a connection, or joins the one that runs',
      timeout: Duration.seconds(60), // about six calls; each may take 15 s with the SDK's repetitions
      memorySize: 512, // loading the bundle is what takes time, and that is a matter of the processor
      environment: {
        ...exportEnvironment(resources),
        [ENVIRONMENT.deadLetterQueueUrl]: undelivered.queueUrl,
      },
      deadLetterQueue: undelivered,
      statements: [
        ...exportStatements(resources),
        allowSend(undelivered),
        resources.ledger.allow('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'),
      ],
    });
  }
}
