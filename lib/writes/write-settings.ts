import * as v from 'valibot';
import { parseOptions } from '../customers-api/parse-options.ts';
import { numberIn } from '../number-range.ts';
import { type Operation, operationsOf } from './operation.ts';

/** What holds for the exports or lists of the connection too, and is checked with their settings. */
interface SharedSettings {
  /** Rate of all writes of the connection together. @default none: the API's throttles decide */
  readonly requestsPerSecond?: number;
  /** Number of a list's first page, for checks. */
  readonly firstPage: number;
  /** Longest time from acceptance to an effect. */
  readonly maxDurationSeconds: number;
  /** How long the ledger keeps a write that is over. */
  readonly historyDays: number;
}

export interface WriteSettings extends SharedSettings {
  /** The operations that may be used. @default none */
  readonly operations: readonly Operation[];
  /** Timeout of one request, 1,000 to 900,000 ms: `deadlineMs` of the client. @default 30,000 */
  readonly requestTimeoutMs: number;
  /**
   * How long the API keeps an `Idempotency-Key` after the first request, 60 s to 30 days. Later the key is not
   * sent again. Never set more than the API documents. @default 86,400 (24 h)
   */
  readonly idempotencyKeySeconds: number;
  /** Checks in a row without a result before a person must decide, 1 to 100. @default 10 */
  readonly maxUnknownChecks: number;
}

type OwnSettings = Omit<WriteSettings, keyof SharedSettings>;

const DEFAULTS: OwnSettings = {
  operations: [],
  requestTimeoutMs: 30_000,
  idempotencyKeySeconds: 24 * 3600,
  maxUnknownChecks: 10,
};

/** What each of those may be that are set for writes alone. */
export const writeSettingEntries = {
  idempotencyKeySeconds: v.exactOptional(numberIn([60, 30 * 24 * 3600])),
  maxUnknownChecks: v.exactOptional(numberIn([1, 100])),
};

const OwnSettingsSchema = v.strictObject({
  ...writeSettingEntries,
  operations: v.exactOptional(v.unknown()),
  requestTimeoutMs: v.exactOptional(numberIn([1_000, 900_000])),
} satisfies { readonly [K in keyof OwnSettings]-?: v.GenericSchema });

/** Checks the settings and fills in the defaults. @throws SettingError naming the setting. */
export function writeSettingsOf(
  given: Partial<Omit<OwnSettings, 'operations'>> & { readonly operations?: unknown },
  shared: SharedSettings,
): WriteSettings {
  const own = parseOptions(OwnSettingsSchema, given, 'settings');
  return { ...DEFAULTS, ...own, operations: operationsOf(own.operations ?? []), ...shared };
}
