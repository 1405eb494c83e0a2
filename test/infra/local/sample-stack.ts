import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as cdk from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sources from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import * as schedulerTargets from 'aws-cdk-lib/aws-scheduler-targets';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { sampleRole } from './sample-role.ts';

const workerFile = fileURLToPath(new URL('./sample-functions/worker.ts', import.meta.url));
const probeFile = fileURLToPath(new URL('./sample-functions/probe/index.mjs', import.meta.url));

/**
 * A small stack with one of each: `Work` feeds `Worker` (two failures, then the dead-letter queue),
 * `Worker` uses every service, a rule and a schedule feed `Heard`, and `Probe` misbehaves on request.
 */
class SampleStack extends cdk.Stack {
  constructor(app: cdk.App) {
    super(app, 'Sample');
    const dead = new sqs.Queue(this, 'Dead');
    const work = new sqs.Queue(this, 'Work', {
      visibilityTimeout: cdk.Duration.seconds(2),
      deadLetterQueue: { queue: dead, maxReceiveCount: 2 },
    });
    const heard = new sqs.Queue(this, 'Heard');
    const bucket = new s3.Bucket(this, 'Store', { removalPolicy: cdk.RemovalPolicy.DESTROY });
    const table = new dynamodb.Table(this, 'Ledger', {
      partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expires',
    });

    const worker = new NodejsFunction(this, 'Worker', {
      entry: workerFile,
      role: sampleRole(this, 'WorkerRole'),
      runtime: lambda.Runtime.NODEJS_24_X,
      memorySize: 256,
      timeout: cdk.Duration.seconds(2),
      environment: {
        BUCKET: bucket.bucketName,
        TABLE: table.tableName,
        SECRET: 'sample/one',
        HEARD_QUEUE_URL: heard.queueUrl,
      },
      bundling: {
        format: OutputFormat.ESM,
        minify: true,
        mainFields: ['module', 'main'],
        bundleAwsSDK: true,
        banner:
          "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    bucket.grantReadWrite(worker);
    table.grantReadWriteData(worker);
    heard.grantSendMessages(worker);
    events.EventBus.grantAllPutEvents(worker);
    const resources = [this.formatArn({ service: 'secretsmanager', resource: 'secret:sample/*' })];
    worker.addToRolePolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources }),
    );
    worker.addEventSource(
      new sources.SqsEventSource(work, {
        batchSize: 5,
        maxConcurrency: 2,
        reportBatchItemFailures: true,
      }),
    );

    new lambda.Function(this, 'Probe', {
      code: lambda.Code.fromAsset(dirname(probeFile)),
      role: sampleRole(this, 'ProbeRole'),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      memorySize: 128,
      timeout: cdk.Duration.seconds(3),
      environment: { OWN: 'yes' },
    });

    new events.Rule(this, 'SecretChanged', {
      eventPattern: {
        source: ['aws.secretsmanager', 'sample'],
        detail: { labelUpdated: [{ prefix: 'AWS' }] },
      },
      targets: [new targets.SqsQueue(heard, { deadLetterQueue: dead })],
    });
    new scheduler.Schedule(this, 'Sweep', {
      schedule: scheduler.ScheduleExpression.rate(cdk.Duration.minutes(1)),
      scheduleGroup: new scheduler.ScheduleGroup(this, 'Group'),
      target: new schedulerTargets.SqsSendMessage(heard, {
        deadLetterQueue: dead,
        input: scheduler.ScheduleTargetInput.fromObject({
          kind: 'swept',
          at: scheduler.ContextAttribute.scheduledTime,
        }),
      }),
    });
    new cdk.CfnOutput(this, 'HeardUrl', { value: heard.queueUrl });
  }
}

/** Synthesizes the sample stack and gives the assembly's directory. */
export function synthesizeSample(): string {
  const outdir = mkdtempSync(join(tmpdir(), 'sample-assembly-'));
  const app = new cdk.App({ outdir, analyticsReporting: false });
  new SampleStack(app);
  return app.synth().directory;
}
