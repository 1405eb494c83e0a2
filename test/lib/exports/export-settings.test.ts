import { expect, test } from '@jest/globals';
import { type ExportSettings, exportSettingsOf } from '../../../lib/exports/export-settings.ts';

test.each([
  ['requestsPerSecond', { requestsPerSecond: 0 }],
  ['requestsPerSecond', { requestsPerSecond: Number.NaN }],
  ['pagesInFlight', { pagesInFlight: 257 }],
  ['partMaxPages', { partMaxPages: 49 }],
  ['partMaxBytes', { partMaxBytes: 1 }],
  ['maxWaitSeconds', { maxWaitSeconds: 1.5 }],
  ['maxDurationSeconds', { maxDurationSeconds: 59 }],
  ['historyDays', { historyDays: 60 }],
] satisfies readonly [string, Partial<ExportSettings>][])(
  'refuses a wrong %s by name: %j',
  (setting, given) => {
    expect(() => exportSettingsOf(given)).toThrow(expect.objectContaining({ setting }));
  },
);

test('takes fractions of a request a second', () => {
  expect(exportSettingsOf({ requestsPerSecond: 0.25 }).requestsPerSecond).toBe(0.25);
});
