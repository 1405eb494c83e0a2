import { checkRanges, type NumberRange } from '../number-range.ts';
import { type Operation, operationsOf } from './operation.ts';

export interface WriteSettings {
  /** The operations that may be used. @default none */
  readonly operations: readonly Operation[];
  /** Rate of all writes of the connection together, 0.001 to 1,000. @default none: the API's throttles decide */
  readonly requestsPerSecond?: number;
  /** Timeout of one request, 1,000 to 900,000 ms: `deadlineMs` of the client. @default 30,000 */
  readonly requestTimeoutMs: number;
  /**
   * How long the API keeps an `Idempotency-Key` after the first request, 60 s to 30 days. Later the key is not
   * sent again. Never set more than the API documents. @default 86,400 (24 h)
   */
  readonly idempotencyKeySeconds: number;
  /** Number of a list's first page, for checks, 0 or 1. @default 1 */
  readonly firstPage: number;
  /** Checks in a row without a result before a person must decide, 1 to 100. @default 10 */
  readonly maxUnknownChecks: number;
  /** Longest time from acceptance to an effect, 1 min to 60 days. @default 604,800 (7 days) */
  readonly maxDurationSeconds: number;
  /** How long the ledger keeps a write that is over, 61 to 3,650 days. @default 90 */
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
  historyDays: [61, 3_650],
};

/** Fills in the defaults and checks all ranges and operations. @throws SettingError naming the setting. */
export function writeSettingsOf(
  given: Partial<Omit<WriteSettings, 'operations'>> & { readonly operations?: unknown },
): WriteSettings {
  const operations = operationsOf(given.operations ?? []);
  const settings: WriteSettings = { ...DEFAULT_WRITE_SETTINGS, ...given, operations };
  checkRanges(settings, RANGES);
  return settings;
}
