import * as v from 'valibot';
import { parseOptions } from '../customers-api/parse-options.ts';
import { type NumberRange, numberIn } from '../number-range.ts';
import { COMPRESSIONS, type Compression, DEFAULT_COMPRESSION } from './compression.ts';

/** Settings of exports, whichever list they copy. Every bound ends an export with a reason that names its setting. */
export interface ExportSettings {
  /** Highest rate of requests, 0.001 to 1,000. @default learned from the API's answers, see docs/pace.md */
  readonly requestsPerSecond?: number;
  /** Requests at the same time, 1 to 256. @default from rate and latency, see `PagesInFlight` */
  readonly pagesInFlight?: number;
  /** A part ends after this many pages, 50 to 500. @default 500 */
  readonly partMaxPages: number;
  /** A part ends when it has this many bytes before compression, 1 MiB to 512 MiB. @default 64 MiB */
  readonly partMaxBytes: number;
  /** How parts are compressed; a running export keeps what it began with. @default 'gzip' */
  readonly compression: Compression;
  /** Longest single wait that an export accepts, 1 s to 14 days. @default 86,400 (24 h) */
  readonly maxWaitSeconds: number;
  /** A longer single wait publishes an event, 1 s to 14 days. @default 900 (15 min) */
  readonly longWaitSeconds: number;
  /** Longest sum of waits, 1 s to 60 days. @default 259,200 (3 days) */
  readonly maxTotalWaitSeconds: number;
  /** Most pages of one export, 1 to 10,000,000. @default 1,000,000 */
  readonly maxPages: number;
  /** Steps in a row without a page, throttled steps included, 1 to 1,000,000. @default 10,000 */
  readonly maxStepsWithoutPage: number;
  /** Failures in a row (network, 5xx, cut answers, no list behind a first page), 1 to 1,000. @default 10 */
  readonly maxFailuresInRow: number;
  /** Longest time from start to end, waits included, and from the end of the list to the manifest, 1 min to 60 days. @default 604,800 (7 days) */
  readonly maxDurationSeconds: number;
  /** How long the ledger keeps an export, 61 to 3,650 days. @default 90 */
  readonly historyDays: number;
}

export const REQUESTS_PER_SECOND: NumberRange = [0.001, 1_000, 'fractions'];

const DEFAULT_EXPORT_SETTINGS: ExportSettings = {
  // The largest number of pages for which the compressed part in memory stays small.
  partMaxPages: 500,
  // About 12 MB of compressed customer records (5.6 to 1, measured), far below the memory of a function.
  partMaxBytes: 64 * 1024 * 1024,
  compression: DEFAULT_COMPRESSION,
  maxWaitSeconds: 24 * 3600,
  // The limit of SQS's DelaySeconds; a person who waits longer begins to ask.
  longWaitSeconds: 900,
  maxTotalWaitSeconds: 3 * 24 * 3600,
  maxPages: 1_000_000,
  // Hours of waits of one second each: another user of the same key may use up the whole rate.
  maxStepsWithoutPage: 10_000,
  // Waits of up to 2, 4, ... 60 s: about four minutes on average.
  maxFailuresInRow: 10,
  maxDurationSeconds: 7 * 24 * 3600,
  historyDays: 90,
};

/** What each of them may be. */
export const exportSettingEntries = {
  requestsPerSecond: v.exactOptional(numberIn(REQUESTS_PER_SECOND)),
  pagesInFlight: v.exactOptional(numberIn([1, 256])),
  partMaxPages: v.exactOptional(numberIn([50, 500])),
  partMaxBytes: v.exactOptional(numberIn([1024 * 1024, 512 * 1024 * 1024])),
  compression: v.exactOptional(v.picklist(COMPRESSIONS, 'expected gzip or zstd')),
  maxWaitSeconds: v.exactOptional(numberIn([1, 14 * 24 * 3600])),
  longWaitSeconds: v.exactOptional(numberIn([1, 14 * 24 * 3600])),
  maxTotalWaitSeconds: v.exactOptional(numberIn([1, 60 * 24 * 3600])),
  maxPages: v.exactOptional(numberIn([1, 10_000_000])),
  maxStepsWithoutPage: v.exactOptional(numberIn([1, 1_000_000])),
  maxFailuresInRow: v.exactOptional(numberIn([1, 1_000])),
  maxDurationSeconds: v.exactOptional(numberIn([60, 60 * 24 * 3600])),
  // More than the longest duration, so that no part of a running export expires.
  historyDays: v.exactOptional(numberIn([61, 3_650])),
} satisfies { readonly [K in keyof ExportSettings]-?: v.GenericSchema };

const ExportSettingsSchema = v.strictObject(exportSettingEntries);

/** Checks the settings and fills in the defaults. @throws SettingError naming the setting. */
export function exportSettingsOf(given: Partial<ExportSettings>): ExportSettings {
  return { ...DEFAULT_EXPORT_SETTINGS, ...parseOptions(ExportSettingsSchema, given, 'settings') };
}
