import * as v from 'valibot';
import { wholeNumber } from '../../lib/number-range.ts';

export interface AlarmSettings {
  /** ARN of an SNS topic for each alarm and its end. @default - alarms only show in CloudWatch */
  readonly topicArn?: string;
  /** Oldest age of a completed export for a connection with a schedule, 1 to 8,784. @default 26 */
  readonly noCompleteExportHours?: number;
  /** Where people on call find the runbook: an https: address without a fragment. @default 'docs/runbook.md' */
  readonly runbookUrl?: string;
}

/** A year, since schedules may be slow. The alarm looks at the newest age alone, so CloudWatch sets no bound. */
export const MAX_NO_COMPLETE_EXPORT_HOURS = 366 * 24;
const TOPIC_EXPECTED =
  'expected the ARN of an SNS topic, such as arn:aws:sns:eu-central-1:123456789012:on-call';
const RUNBOOK_EXPECTED =
  'expected an https: address without a fragment, of 500 characters at most, such as https://wiki.example.com/runbook';

const ObjectSchema = v.strictObject(
  {
    topicArn: v.exactOptional(
      v.pipe(
        v.string(TOPIC_EXPECTED),
        v.regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/, TOPIC_EXPECTED),
      ),
    ),
    noCompleteExportHours: v.exactOptional(wholeNumber(1, MAX_NO_COMPLETE_EXPORT_HOURS, 'hours')),
    runbookUrl: v.exactOptional(
      v.pipe(
        v.string(RUNBOOK_EXPECTED),
        v.maxLength(500, RUNBOOK_EXPECTED), // of the 1,024 of an alarm's description
        v.regex(/^https:\/\/[^\s#]+$/, RUNBOOK_EXPECTED),
      ),
    ),
  },
  'expected an object such as {"noCompleteExportHours": 26}, or false for no alarms',
);

export const AlarmsSchema: v.GenericSchema<unknown, AlarmSettings | false> = v.lazy((given) =>
  given === false ? v.literal(false) : ObjectSchema,
);
