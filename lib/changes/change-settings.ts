import * as v from 'valibot';
import { parseOptions } from '../customers-api/parse-options.ts';
import { checkRange } from '../number-range.ts';

/** What is told of changes between two exports. */
export interface ChangeSettings {
  /** Whether each change is told in an event of its own. @default false */
  readonly events: boolean;
  /** Whether such an event has the record, if it fits. @default false */
  readonly withRecord: boolean;
  /**
   * When more of the records before are gone than this, nothing is told until a person decides, 0 to 100; 100: never.
   *
   * @default 10
   */
  readonly maxRemovedPercent: number;
}

const DEFAULT_CHANGE_SETTINGS: ChangeSettings = {
  events: false,
  withRecord: false,
  // A list seldom loses a tenth of its records between two exports; an API that answers wrongly does.
  maxRemovedPercent: 10,
};

const yesOrNo = v.exactOptional(v.boolean('expected true or false'));

/** Without the ranges, which {@link changeSettingsOf} checks. */
const changeSettingEntries = {
  events: yesOrNo,
  withRecord: yesOrNo,
  maxRemovedPercent: v.exactOptional(v.number('expected a number')),
} satisfies { readonly [K in keyof ChangeSettings]-?: v.GenericSchema };

/** Fills in the defaults and checks the range. @throws SettingError naming the setting, such as `changes.events`. */
export function changeSettingsOf(given: Partial<ChangeSettings> = {}): ChangeSettings {
  const schema = v.strictObject({ changes: v.strictObject(changeSettingEntries) });
  const { changes } = parseOptions(schema, { changes: given }, 'changes');
  const settings = { ...DEFAULT_CHANGE_SETTINGS, ...changes };
  checkRange('changes.maxRemovedPercent', settings.maxRemovedPercent, [0, 100, 'fractions']);
  return settings;
}
