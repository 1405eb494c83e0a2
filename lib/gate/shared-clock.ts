/** A clock runs at most this much faster or slower than another (0.05 %, the most that NTP corrects a clock by). */
const DRIFT = 0.0005;

/** Our own clock is set right when it is certainly wrong by more: leases and deadlines need no more than that. */
const SET_FROM_MS = 1_000;
/** Not known well: a quick answer leaves a second open. It was a slow one, or long ago. */
const ROUGH_MS = 2_000;

/** How far the shared clock is ahead of this machine's, in milliseconds. */
interface Offset {
  readonly leastMs: number;
  readonly mostMs: number;
  /** By this machine's clock. */
  readonly atMs: number;
}

/**
 * What one process knows of a clock that all processes hear: that of the ledger, by the `Date` of its answers.
 * A `Date` has whole seconds, and an answer takes time, so the offset lies between two bounds; each answer narrows
 * them.
 */
export class SharedClock {
  readonly #machineNow: () => number;
  #setByMs = 0;
  #timesSet = 0;
  #offset: Offset | undefined;

  /** @param machineNow The clock of this machine, milliseconds since the epoch. */
  constructor(machineNow: () => number) {
    this.#machineNow = machineNow;
  }

  /**
   * Our own time, which leases, waits and deadlines go by: that of the machine, set right by the first answer if that
   * shows that it is wrong. It does not move with later ones, unless a clock was set, or little was known before: so
   * what is under way is not cut short. A process reads before it decides, so it has heard an answer by then.
   */
  readonly now = (): number => this.#machineNow() + this.#setByMs;

  /**
   * Takes note of an answer.
   *
   * @param dateMs The whole second that the shared clock showed, between the other two times of this machine's clock.
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
    const wasSet = leastMs > mostMs;
    this.#offset = wasSet ? heard : { leastMs, mostMs, atMs: receivedAtMs };
    if (wasSet) this.#timesSet++;
    const isNews = wasSet || known === undefined || known.mostMs - known.leastMs > ROUGH_MS;
    if (isNews && Math.abs(this.certainAheadMs()) > SET_FROM_MS) {
      this.#setByMs = Math.round((this.#offset.leastMs + this.#offset.mostMs) / 2);
      this.#timesSet++;
    }
  }

  /** How often it was seen that a clock was set: what was told by our own time before is not known by it any more. */
  get timesSet(): number {
    return this.#timesSet;
  }

  /** The latest time that the shared clock can show at `ownMs`; the same while nothing was heard. */
  latestAt(ownMs: number): number {
    return ownMs + Math.ceil(this.#ahead().mostMs);
  }

  /** Our time at which the shared clock shows `sharedMs` at the latest; the same while nothing was heard. */
  reached(sharedMs: number): number {
    return sharedMs - Math.floor(this.#ahead().leastMs);
  }

  /**
   * How far the shared clock is ahead of ours, as far as that is certain: 0 while ours may be right. For times that may
   * differ by what nobody knows.
   */
  certainAheadMs(): number {
    const { leastMs, mostMs } = this.#ahead();
    return Math.round(Math.min(mostMs, Math.max(leastMs, 0)));
  }

  /** Of our own time, now. */
  #ahead(): Pick<Offset, 'leastMs' | 'mostMs'> {
    const offset = this.#at(this.#machineNow());
    if (offset === undefined) return { leastMs: 0, mostMs: 0 };
    return { leastMs: offset.leastMs - this.#setByMs, mostMs: offset.mostMs - this.#setByMs };
  }

  #at(machineMs: number): Offset | undefined {
    if (this.#offset === undefined) return undefined;
    const { leastMs, mostMs, atMs } = this.#offset;
    const driftMs = Math.abs(machineMs - atMs) * DRIFT;
    return { leastMs: leastMs - driftMs, mostMs: mostMs + driftMs, atMs: machineMs };
  }
}
