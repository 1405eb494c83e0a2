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
  readonly undelivered: IQueue;
}

/** Starts exports: by schedule, by event, or by a direct invocation. */
export class StartExportFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: StartExportFunctionProps) {
    const { resources, undelivered } = props;
    super(scope, id, {
      file: 'start-export',
      description: 'Starts an export of a connection, or joins the one that runs',
      timeout: Duration.seconds(60), // about six calls; each may take 15 s with the SDK's retries
      memorySize: 512, // the bundle loads faster with more CPU
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
