import { type WriteSettings, writeSettingsOf } from '../../../lib/writes/write-settings.ts';

/** The settings of writes of a connection that sets these, and nothing else. */
export function settingsWith(given: Partial<WriteSettings> = {}): WriteSettings {
  const { requestsPerSecond, firstPage = 1, maxDurationSeconds, historyDays, ...own } = given;
  return writeSettingsOf(own, {
    firstPage,
    maxDurationSeconds: maxDurationSeconds ?? 7 * 24 * 3600,
    historyDays: historyDays ?? 90,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
  });
}
