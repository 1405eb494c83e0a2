import { checkRanges, type NumberRange } from '../number-range.ts';
import { type Operation, operationsOf } from './operation.ts';

/** How writes are carried out. */
export interface WriteSettings {
  /** What may be written. @default none */
  readonly operations: readonly Operation[];
  /** Rate that all writes of the connection keep together, 0.001 to 1,000. @default none: the API's throttling decides */
  readonly requestsPerSecond?: number;
  /** Longest time for one request, 1,000 to 900,000 ms: `deadlineMs` of the client. @default 30,000 */
  readonly requestTimeoutMs: number;
  /**
   * How long the API keeps an `Idempotency-Key`, 60 s to 30 days, counted from the first request; past it
   * the key is not sent again. Never set it longer than the API says.
   *
   * @default 86,400 (24 h)
   */
  readonly idempotencyKeySeconds: number;
  /** Number of a list's first page, for checks, 0 or 1. @default 1 */
  readonly firstPage: number;
  /** Checks in a row that tell nothing before a person is asked, 1 to 100. @default 10 */
  readonly maxUnknownChecks: number;
  /** Time from accepting a write to giving it up if it never took effect, 1 min to 60 days. @default 604,800 (7 days) */
  readonly maxDurationSeconds: number;
  /** How long the ledger remembers a write that is over, 1 to 3,650 days. @default 90 */
  readonly historyDays: number;
}

const DEFAULT_WRITE_SETTINGS: WriteSettings = {
  operations: [],
  requestTimeoutMs: 30_000,
  idempotencyKeySeconds: 24 * 3600,
  firstPage: 1,
  maxUnknownChecks: 10,
  maxDurationSeconds: 7 * 24 * 3600,
  historyDays: 90,
};

const RANGES: Readonly<Record<Exclude<keyof WriteSettings, 'operations'>, NumberRange>> = {
  requestsPerSecond: [0.001, 1_000, 'fractions'],
  requestTimeoutMs: [1_000, 900_000],
  idempotencyKeySeconds: [60, 30 * 24 * 3600],
  firstPage: [0, 1],
  maxUnknownChecks: [1, 100],
  maxDurationSeconds: [60, 60 * 24 * 3600],
  historyDays: [1, 3_650],
};

/**
 * Fills in the defaults and checks every range and operation.
 *
 * @throws SettingError naming the setting.
 */
export function writeSettingsOf(
  given: Partial<Omit<WriteSettings, 'operations'>> & { readonly operations?: unknown },
): WriteSettings {
  const operations = operationsOf(given.operations ?? []);
  const settings: WriteSettings = { ...DEFAULT_WRITE_SETTINGS, ...given, operations };
  checkRanges(settings, RANGES);
  return settings;
}
