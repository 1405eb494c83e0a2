/** What EventBridge Scheduler fills into a target's input. */
export interface ScheduleRun {
  readonly scheduleArn: string;
  readonly scheduledMs: number;
  readonly executionId: string;
}

/**
 * Fills in the context attributes (EventBridge Scheduler user guide, "Adding context attributes").
 * Without an input a target gets an empty JSON object.
 */
export function scheduleInput(input: string | undefined, run: ScheduleRun): string {
  const attributes: Readonly<Record<string, string>> = {
    'aws.scheduler.schedule-arn': run.scheduleArn,
    'aws.scheduler.scheduled-time': `${new Date(run.scheduledMs).toISOString().slice(0, 19)}Z`,
    'aws.scheduler.execution-id': run.executionId,
    // A delivery inside one process is not repeated.
    'aws.scheduler.attempt-number': '1',
  };
  return (input ?? '{}').replace(
    /<(aws\.scheduler\.[a-z-]+)>/g,
    (found, name: string) => attributes[name] ?? found,
  );
}
