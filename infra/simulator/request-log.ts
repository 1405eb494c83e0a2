import { parseTime } from '../../lib/customers-api/parse-time.ts';
import { type HeaderLine, headerValues } from './answer.ts';

/** A write that took effect. */
export interface Effect {
  /** 1, 2, 3... over the whole simulator. */
  readonly id: number;
  readonly action: 'created' | 'replaced' | 'merged' | 'deleted';
  readonly resource: string;
  readonly recordId: string;
  readonly idempotencyKey?: string;
  /** The writer's own mark of the logical write: header `X-Reference` or body member `reference`. */
  readonly reference?: string;
}

/** One request and what became of it. Never holds a key. Plain JSON. */
export interface RequestLogEntry {
  /** 1, 2, 3... in order of arrival. */
  readonly n: number;
  /** Arrival of the request's head, ms of the simulator's clock. */
  readonly at: number;
  /**
   * How long it may have been there before it was read, ms: since the latest look at all connections. After answers that
   * forbid requests alone. @default 0
   */
  readonly unreadMs?: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Path and query as they came. */
  readonly url: string;
  /** The name after `/2.0/`; absent for another path. */
  readonly resource?: string;
  readonly page?: number;
  readonly perPage?: number;
  /** Label of the key, such as `Demo Organization/1`; `none` without a key, `unknown/1` for unknown ones. */
  readonly keyId: string;
  readonly idempotencyKey?: string;
  /** Number of the TCP connection. */
  readonly connection: number;
  /** The body as it came; absent when there is none, when it is not UTF-8, or over 512 KiB. */
  body?: string;
  status: number | 'reset' | 'silent' | 'pending';
  /** When sending began, ms. */
  answeredAt?: number;
  /**
   * The highest `n` that had arrived when sending began (or the client went away): only later requests
   * can know the answer.
   */
  answeredAfter?: number;
  /** The wait that the answer asked for. */
  retryAfterSeconds?: number;
  /** `answeredAt` + that wait, ms. A date is measured against the `Date` header that was sent. */
  notBefore?: number;
  effect?: Effect;
  /** Kind of the fault that was played. */
  fault?: string;
  /** The client went away before the answer was complete. */
  remoteAborted?: boolean;
}

/** Every request since the start or the last `reset`, oldest first. */
export interface RequestLog {
  readonly entries: readonly RequestLogEntry[];
}

/**
 * The wait that an answer's `Retry-After` asks for, as the strictest reader takes it: the largest valid
 * value, fractions rounded up. Undefined when there is no usable value.
 */
export function askedWaitSeconds(headers: readonly HeaderLine[]): number | undefined {
  const read = (text = '') => parseTime(text, Date.now());
  const dateMs = read(headerValues(headers, 'Date')[0]);
  const waits = headerValues(headers, 'Retry-After').flatMap((value) => {
    const retryAtMs = read(value);
    if (retryAtMs !== undefined) return dateMs === undefined ? [] : [(retryAtMs - dateMs) / 1000];
    const seconds = value.split(',').map((part) => part.trim());
    return seconds
      .filter((part) => /^\d+(\.\d+)?$/.test(part))
      .map((part) => Math.ceil(Number(part)));
  });
  const usable = waits.filter((wait) => Number.isFinite(wait) && wait >= 0);
  return usable.length === 0 ? undefined : Math.max(...usable);
}

/** Whether an answer with a usable `Retry-After` asks the client to slow down. */
export function isThrottle(status: number): boolean {
  return (status < 200 || status > 299) && status !== 401;
}
