import type { Queues } from '../services/sqs/queues.ts';
import type { FunctionDefinition } from './function-definition.ts';
import type { FunctionInvoker } from './function-host.ts';

/** Waits, or rejects when the stack stops. */
export type Wait = (ms: number) => Promise<void>;

export type AsyncInvoker = ReturnType<typeof createAsyncInvoker>;

/**
 * Lambda repeats a failed asynchronous invocation twice, after one and after two minutes
 * (developer guide, "How Lambda handles errors and retries with asynchronous invocation").
 */
const RETRY_WAITS_MS = [60_000, 120_000] as const;

/**
 * Invokes functions as an event source does that waits for no answer. An event that fails for good goes to the
 * function's dead-letter queue, if it has one.
 */
export function createAsyncInvoker(host: FunctionInvoker, queues: Queues, wait: Wait) {
  return {
    /** @param payload JSON text of the event. */
    invoke(definition: FunctionDefinition, payload: string): void {
      // A stop during a wait ends the attempts.
      run(definition, payload).catch(() => {});
    },
  };

  async function run(definition: FunctionDefinition, payload: string): Promise<void> {
    for (let failures = 0; ; failures++) {
      const outcome = await host.invoke(definition, payload);
      if (outcome.kind === 'returned') return;
      const waitMs = RETRY_WAITS_MS[failures];
      if (waitMs === undefined) {
        await sendToDeadLetterQueue(definition, payload);
        return;
      }
      await wait(waitMs);
    }
  }

  async function sendToDeadLetterQueue(
    { name, deadLetterArn }: FunctionDefinition,
    payload: string,
  ): Promise<void> {
    if (deadLetterArn === undefined) return;
    await queues.call(name, 'SendMessage', {
      QueueUrl: queues.nameOfArn(deadLetterArn),
      MessageBody: payload,
    });
  }
}
