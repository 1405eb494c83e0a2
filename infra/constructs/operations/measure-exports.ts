import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENVIRONMENT, type Measured } from '../../../functions/services/environment.ts';
import type { ConnectionSecrets } from '../foundation/connection-secrets.ts';
import type { ExportStore } from '../foundation/export-store.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';

export interface MeasureExportsProps {
  readonly measured: Measured;
  readonly secrets: ConnectionSecrets;
  readonly store: ExportStore;
  readonly undelivered: IQueue;
}

/** Measures every hour how old the newest completed export of each connection is. */
export class MeasureExports extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: MeasureExportsProps) {
    super(scope, id);
    const { measured, secrets, store, undelivered } = props;
    this.function = new LambdaFunction(this, 'Function', {
      file: 'measure-exports',
      description: 'Tells how old the newest completed exports are',
      timeout: Duration.minutes(2), // a read of tens of milliseconds per connection, 32 at a time
      environment: {
        [ENVIRONMENT.exportBucket]: store.bucket.bucketName,
        [ENVIRONMENT.secretPrefix]: secrets.prefix,
        [ENVIRONMENT.measured]: JSON.stringify(measured),
      },
      deadLetterQueue: undelivered,
      statements: [...store.allowReadLatest(), secrets.allowList()],
    });
    new Rule(this, 'Schedule', {
      description: 'Measures how old the newest completed exports are',
      // Exports are hours apart, and the alarm's period is an hour.
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new LambdaTarget(this.function, { deadLetterQueue: undelivered })],
    });
  }
}
