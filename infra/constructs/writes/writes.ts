import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct as Scope } from 'constructs';
import { Construct } from 'constructs';
import { WRITE_REQUESTED } from '../../../functions/messages/write-requested.ts';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import type { ExportResources } from '../foundation/export-resources.ts';
import { QueueRule } from '../foundation/queue-rule.ts';
import { allowSend } from '../foundation/queue-statements.ts';
import { requestedEvents } from '../foundation/requested-events.ts';
import { WorkQueue } from '../foundation/work-queue.ts';
import { ApplyWriteFunction, applyWriteTimeout } from './apply-write-function.ts';

export interface WritesProps {
  readonly resources: ExportResources;
  readonly undelivered: IQueue;
}

/** Carries out writes: their queue, its function, and the rule for requests by event. */
export class Writes extends Construct {
  readonly queue: WorkQueue;
  readonly function: ApplyWriteFunction;
  readonly #resources: ExportResources;

  constructor(scope: Scope, id: string, { resources, undelivered }: WritesProps) {
    super(scope, id);
    this.#resources = resources;
    const timeout = applyWriteTimeout(resources.connectionTable);
    this.queue = new WorkQueue(this, 'Queue', { workerTimeout: timeout });
    const { queue } = this;
    this.function = new ApplyWriteFunction(this, 'ApplyWrite', { resources, queue, timeout });
    this.#acceptEvents(resources, undelivered);
  }

  /** Environment for functions that accept, wake or settle writes. */
  get environment(): Readonly<Record<string, string>> {
    return { [ENVIRONMENT.writeQueueUrl]: this.queue.queue.queueUrl };
  }

  /** Permissions for functions that accept, wake or settle writes, besides the ledger's. */
  get statements(): readonly PolicyStatement[] {
    return [allowSend(this.queue.queue), this.#resources.ledger.allowListOpenWrites()];
  }

  /** Events go directly into the queue: they are as safe there as an accepted write. */
  #acceptEvents({ integrationId, eventBus }: ExportResources, undelivered: IQueue): void {
    new QueueRule(this, 'Requested', {
      description: 'Accepts the writes that events ask for',
      eventBus,
      eventPattern: requestedEvents(this, integrationId, WRITE_REQUESTED),
      queue: this.queue.queue,
      undelivered,
    });
  }
}
