import * as v from 'valibot';

/** Whom alarms tell, and when. */
export interface AlarmSettings {
  /** ARN of an SNS topic that is told of each alarm and of its end. @default - alarms only show in CloudWatch */
  readonly topicArn?: string;
  /** A connection with a schedule should have a complete export younger than this, 1 to 168. @default 26 */
  readonly noCompleteExportHours?: number;
}

/** CloudWatch looks back seven days at most with periods of an hour ("Alarm evaluation"). */
export const MAX_NO_COMPLETE_EXPORT_HOURS = 168;
const HOURS_EXPECTED = `expected a whole number of hours from 1 to ${MAX_NO_COMPLETE_EXPORT_HOURS}`;
const TOPIC_EXPECTED =
  'expected the ARN of an SNS topic, such as arn:aws:sns:eu-central-1:123456789012:on-call';

const ObjectSchema = v.strictObject(
  {
    topicArn: v.exactOptional(
      v.pipe(
        v.string(TOPIC_EXPECTED),
        v.regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/, TOPIC_EXPECTED),
      ),
    ),
    noCompleteExportHours: v.exactOptional(
      v.pipe(
        v.number(HOURS_EXPECTED),
        v.integer(HOURS_EXPECTED),
        v.minValue(1, HOURS_EXPECTED),
        v.maxValue(MAX_NO_COMPLETE_EXPORT_HOURS, HOURS_EXPECTED),
      ),
    ),
  },
  'expected an object such as {"noCompleteExportHours": 26}, or false for no alarms',
);

/** The setting `alarms`: ranges are those of {@link AlarmSettings}. */
export const AlarmsSchema: v.GenericSchema<unknown, AlarmSettings | false> = v.lazy((given) =>
  given === false ? v.literal(false) : ObjectSchema,
);
