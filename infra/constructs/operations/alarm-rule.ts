import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** One alarm: it rings when the metric is above the threshold in so many of the last periods. */
export interface AlarmRule {
  /** What is wrong, in a sentence. */
  readonly says: string;
  /** Heading in docs/runbook.md, as the end of its address. */
  readonly section: string;
  readonly metric: IMetric;
  readonly above: number;
  /** @default 1 */
  readonly periods?: number;
  /** How many of them. @default all */
  readonly ofThem?: number;
  /** Told again and again as long as it lasts, so that a gap says nothing. @default false */
  readonly isLevel?: boolean;
}

/** The alarm of a rule; it names the section of the runbook that says what to do. */
export function alarmOf(
  scope: Construct,
  id: string,
  { says, section, metric, above, periods = 1, ofThem, isLevel = false }: AlarmRule,
): Alarm {
  return new Alarm(scope, id, {
    alarmDescription: `${says} What to do: docs/runbook.md#${section}`,
    metric,
    threshold: above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: periods,
    datapointsToAlarm: ofThem ?? periods,
    // Between exports nothing is counted, which is right; of a level that is not told nothing is known.
    treatMissingData: isLevel ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING,
  });
}
