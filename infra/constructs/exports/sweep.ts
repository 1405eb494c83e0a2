import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Changes } from '../changes/changes.ts';
import {
  type ExportResources,
  exportEnvironment,
  exportStatements,
} from '../foundation/export-resources.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import type { Writes } from '../writes/writes.ts';

export interface SweepProps {
  readonly resources: ExportResources;
  readonly writes: Writes | undefined;
  readonly changes: Changes | undefined;
  readonly undelivered: IQueue;
}

/** Wakes stalled exports, writes and changes: every five minutes, and when a connection gets a new key. */
export class Sweep extends Construct {
  readonly function: LambdaFunction;

  constructor(
    scope: Construct,
    id: string,
    { resources, writes, changes, undelivered }: SweepProps,
  ) {
    super(scope, id);
    const { ledger, secrets } = resources;
    this.function = new LambdaFunction(this, 'Function', {
      file: 'wake-stalled',
      description: 'Wakes exports that stand still',
      // A few queries, and a few small calls for each unfinished export and each of up to 2,000 writes.
      timeout: Duration.minutes(2),
      environment: {
        ...exportEnvironment(resources),
        ...writes?.environment,
        ...changes?.environment,
      },
      deadLetterQueue: undelivered,
      statements: [
        secrets.allowRead(),
        secrets.allowFingerprint(),
        ...exportStatements(resources),
        ledger.allow('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'),
        ledger.allowListActive(),
        ...(writes?.statements ?? []),
        // What an answer to a write asks of all callers, where the gate did not take it at once.
        ...(writes === undefined ? [] : [ledger.allow('dynamodb:UpdateItem')]),
        ...(changes?.statements ?? []),
        // One statement for the index that writes, changes and untold exports are found by.
        ...(writes === undefined ? [ledger.allowListOpenWrites()] : []),
      ],
    });
    const target = new LambdaTarget(this.function, { deadLetterQueue: undelivered });
    new Rule(this, 'Schedule', {
      description: 'Wakes exports that stand still',
      // With the sweep's grace of four minutes, an export whose message is lost stands still for at most nine; one whose
      // worker crashed, until its lease is over besides, which lasts as long as an invocation.
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [target],
    });
    new Rule(this, 'NewKey', {
      description: 'Lets halted exports go on when their connection has a new key',
      eventPattern: secrets.newKeyPattern(),
      targets: [target],
    });
  }
}
