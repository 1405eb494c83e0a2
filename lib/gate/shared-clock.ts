/** A clock runs at most this much faster or slower than another (0.05 %, the most that NTP corrects a clock by). */
const DRIFT = 0.0005;

/** How far the shared clock is ahead of ours, in milliseconds. */
interface Offset {
  readonly leastMs: number;
  readonly mostMs: number;
  /** By our clock. */
  readonly atMs: number;
}

/**
 * What one process knows of a clock that all processes hear: that of the ledger, by the `Date` of its answers.
 * Their own clocks may differ, so they tell each other times by the shared one. A `Date` has whole seconds, and an
 * answer takes time, so the offset lies between two bounds; each answer narrows them.
 */
export class SharedClock {
  #offset: Offset | undefined;

  /**
   * Takes note of an answer.
   *
   * @param dateMs The whole second that the shared clock showed, between the other two times of our own clock.
   */
  heard(dateMs: number, sentAtMs: number, receivedAtMs: number): void {
    const heard = {
      leastMs: dateMs - receivedAtMs,
      // Exclusive: in the last millisecond of the second.
      mostMs: dateMs + 999 - sentAtMs,
      atMs: receivedAtMs,
    };
    const known = this.#at(receivedAtMs);
    const leastMs = Math.max(heard.leastMs, known?.leastMs ?? heard.leastMs);
    const mostMs = Math.min(heard.mostMs, known?.mostMs ?? heard.mostMs);
    // One of the clocks was set: what was known before is wrong.
    this.#offset = leastMs > mostMs ? heard : { leastMs, mostMs, atMs: receivedAtMs };
  }

  /** The latest time that the shared clock can show at `localMs`; the same while nothing was heard. */
  latestAt(localMs: number, nowMs: number): number {
    return localMs + Math.ceil(this.#at(nowMs)?.mostMs ?? 0);
  }

  /** The earliest one. */
  earliestAt(localMs: number, nowMs: number): number {
    return localMs + Math.floor(this.#at(nowMs)?.leastMs ?? 0);
  }

  /** Our time at which the shared clock shows `sharedMs` at the latest; the same while nothing was heard. */
  reached(sharedMs: number, nowMs: number): number {
    return sharedMs - Math.floor(this.#at(nowMs)?.leastMs ?? 0);
  }

  /**
   * How far the shared clock is ahead of ours, as far as that is certain: 0 while ours may be right. For times that may
   * differ by what nobody knows.
   */
  certainAheadMs(nowMs: number): number {
    const { leastMs, mostMs } = this.#at(nowMs) ?? { leastMs: 0, mostMs: 0 };
    return Math.round(Math.min(mostMs, Math.max(leastMs, 0)));
  }

  #at(nowMs: number): Offset | undefined {
    if (this.#offset === undefined) return undefined;
    const { leastMs, mostMs, atMs } = this.#offset;
    const driftMs = Math.abs(nowMs - atMs) * DRIFT;
    return { leastMs: leastMs - driftMs, mostMs: mostMs + driftMs, atMs: nowMs };
  }
}
