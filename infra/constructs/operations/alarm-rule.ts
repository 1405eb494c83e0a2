import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** An alarm: it fires when the metric is above the threshold in `ofThem` of the last `periods`. */
export interface AlarmRule {
  /** What is wrong, in a sentence. */
  readonly says: string;
  /** Anchor of the heading in the runbook. */
  readonly section: string;
  /** `undefined` where its part is not deployed: there is no alarm. */
  readonly metric: IMetric | undefined;
  readonly above: number;
  /** @default 1 */
  readonly periods?: number;
  /** @default all */
  readonly ofThem?: number;
  /**
   * Whether a gap in the metric means nothing: it is written regularly, or it is of a queue, which CloudWatch counts for
   * up to six hours after its last use (SQS developer guide, "Monitoring queues using CloudWatch"). @default false
   */
  readonly isLevel?: boolean;
}

/** The runbook of the package. */
export const DEFAULT_RUNBOOK = 'docs/runbook.md';

/** The alarm of a rule; its description names the section of the runbook. */
export function alarmOf(
  scope: Construct,
  id: string,
  runbook: string,
  { says, section, metric, above, periods = 1, ofThem, isLevel = false }: AlarmRule,
): Alarm | undefined {
  if (metric === undefined) return undefined;
  return new Alarm(scope, id, {
    alarmDescription: `${says} What to do: ${runbook}#${section}`,
    metric,
    threshold: above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: periods,
    datapointsToAlarm: ofThem ?? periods,
    // Between exports missing data is normal. For a level, missing data keeps the alarm's state.
    treatMissingData: isLevel ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING,
  });
}
