import * as v from 'valibot';
import { parseSetting } from '../customers-api/parse-options.ts';
import { numberIn } from '../number-range.ts';

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

/** What each of them may be. */
export const ChangeSettingsSchema = v.strictObject({
  events: v.exactOptional(v.boolean()),
  withRecord: v.exactOptional(v.boolean()),
  maxRemovedPercent: v.exactOptional(numberIn([0, 100, 'fractions'])),
} satisfies { readonly [K in keyof ChangeSettings]-?: v.GenericSchema });

/** Checks the settings and fills in the defaults. @throws SettingError naming the setting, such as `changes.maxRemovedPercent`. */
export function changeSettingsOf(given: Partial<ChangeSettings> = {}): ChangeSettings {
  return { ...DEFAULT_CHANGE_SETTINGS, ...parseSetting(ChangeSettingsSchema, given, 'changes') };
}
