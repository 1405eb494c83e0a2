import type { GateLook } from '../gate/ports.ts';
import { type PlacePorts, takePlaces } from '../gate/take-places.ts';
import { decidePlaces } from '../pace/decide-places.ts';
import type { Pacer } from '../pace/pacer.ts';
import { isShared, placesAtOnce } from '../pace/places.ts';
import type { PlainLimit } from '../pace/plain-limit.ts';

export interface PagePlacesOf {
  readonly connectionName: string;
  readonly pace: Pacer;
  readonly gate: GateLook;
}

/** How long before its time a place is asked for: as long as that took lately, and a little more. */
const FIRST_LEAD_MS = 10;
const MAX_LEAD_MS = 250;
const LEAD_SHARE = 1.5;

/** Others go first, but for no longer: an export that never went on would end without a page. */
const MAX_YIELD_MS = 5_000;

/** Then it takes a place behind all those that others have taken, at most so far ahead. */
const MAX_AHEAD_MS = 60_000;

/** A ledger that did not answer is not asked for places again so soon: each call may hang for seconds. */
const WITHOUT_MS = 10_000;

/** Timers and clocks count whole milliseconds. */
const CLOCK_STEP_MS = 1;

interface Held {
  /** In their order. */
  readonly atMs: readonly number[];
  readonly untilMs: number;
}

/**
 * The places that an export takes for its pages while others use the connection too. An export that is alone takes
 * none: its own pace is enough, and it sees at its next look at the gate, within a second, that somebody came.
 */
export class PagePlaces {
  readonly #ports: PlacePorts;
  readonly #connectionName: string;
  readonly #pace: Pacer;
  #gate: GateLook;
  /** Places of others that the pace knows of. */
  #counted: number;
  #held: Held = { atMs: [], untilMs: 0 };
  #leadMs = FIRST_LEAD_MS;
  #yieldingSinceMs: number | undefined;
  #withoutUntilMs = 0;
  #toldUntilMs = 0;

  constructor(ports: PlacePorts, { connectionName, pace, gate }: PagePlacesOf) {
    this.#ports = ports;
    this.#connectionName = connectionName;
    this.#pace = pace;
    this.#gate = gate;
    this.#counted = gate.places?.othersTaken ?? 0;
  }

  /** The API asked this export itself to wait. */
  told(untilMs: number): void {
    this.#toldUntilMs = Math.max(this.#toldUntilMs, untilMs);
  }

  /** Takes note of what a look at the gate shows: what others spent, and their throttles, are told to the pace. */
  look(gate: GateLook): void {
    if (gate === this.#gate) return;
    const knownUntilMs = Math.max(this.#gate.blockedUntilMs, this.#toldUntilMs);
    this.#gate = gate;
    const others = gate.places?.othersTaken ?? 0;
    const spent = others - this.#counted;
    this.#counted = others;
    // How many of them were admitted before the throttle is not known, and the wait makes up for them.
    if (gate.blockedUntilMs > knownUntilMs) this.#pace.throttledElsewhere();
    else if (spent > 0) this.#pace.spentElsewhere(spent, this.#ports.clock.now());
  }

  /**
   * When the next page may be asked for, as far as is known: a place that was taken, or the next one that is free.
   *
   * @param paceAtMs When it may by the pace and the gate alone.
   */
  dueAtMs(paceAtMs: number, nowMs: number): number {
    const limit = this.#sharedLimit(nowMs);
    if (limit === undefined) return paceAtMs;
    const [heldAtMs] = this.#heldAt(nowMs);
    if (heldAtMs !== undefined) return Math.max(paceAtMs, heldAtMs);
    const openAtMs = this.#gate.blockedUntilMs;
    const wish = { ...this.#wish(limit, paceAtMs, nowMs), openAtMs, nowMs };
    const decision = decidePlaces(this.#gate.places, wish);
    if (decision.kind === 'granted') return paceAtMs;
    this.#yieldingSinceMs ??= nowMs;
    return Math.max(paceAtMs, decision.againAtMs);
  }

  /** When to {@link take} a place for what is due at `dueAtMs`; `undefined` when there is one, or none is needed. */
  takeAtMs(dueAtMs: number, nowMs: number): number | undefined {
    if (this.#sharedLimit(nowMs) === undefined || this.#heldAt(nowMs).length > 0) return undefined;
    return dueAtMs - this.#leadMs;
  }

  /**
   * Takes the next places, unless others took them first; then {@link dueAtMs} is later.
   *
   * @returns The latest look at the gate.
   */
  async take(paceAtMs: number, nowMs: number): Promise<GateLook> {
    const limit = this.#sharedLimit(nowMs);
    if (limit === undefined) return this.#gate;
    const { clock } = this.#ports;
    const taken = await takePlaces(this.#ports, {
      ...this.#wish(limit, Math.max(paceAtMs, nowMs), nowMs),
      count: placesAtOnce(limit, this.#leadMs),
      connection: this.#connectionName,
      seen: this.#gate,
    });
    const tookMs = (clock.now() - nowMs) * LEAD_SHARE;
    this.#leadMs = Math.min(MAX_LEAD_MS, this.#leadMs * 0.8 + tookMs * 0.2);
    this.look(taken.look);
    if (taken.kind === 'failed') this.#withoutUntilMs = clock.now() + WITHOUT_MS;
    if (taken.kind === 'granted') {
      this.#held = { atMs: taken.atMs, untilMs: taken.untilMs };
      this.#yieldingSinceMs = undefined;
    }
    return taken.look;
  }

  /** A page is asked for now. */
  use(): void {
    this.#held = { ...this.#held, atMs: this.#held.atMs.slice(1) };
  }

  #wish(limit: PlainLimit, earliestAtMs: number, nowMs: number) {
    const intervalMs = limit.kind === 'bucket' ? 1000 / limit.requestsPerSecond : 0;
    const yieldedMs = nowMs - (this.#yieldingSinceMs ?? nowMs);
    const isPatient = yieldedMs < Math.max(MAX_YIELD_MS, 2 * intervalMs);
    return {
      limit,
      caller: 'export' as const,
      count: 1,
      earliestAtMs,
      latestAtMs: earliestAtMs + (isPatient ? this.#leadMs + CLOCK_STEP_MS : MAX_AHEAD_MS),
    };
  }

  /** `undefined` while the export is alone, and for a while after the ledger did not answer. */
  #sharedLimit(nowMs: number): PlainLimit | undefined {
    const { limit } = this.#pace;
    const isUsed = nowMs >= this.#withoutUntilMs && limit !== undefined;
    return isUsed && isShared(this.#gate.places, limit, nowMs) ? limit : undefined;
  }

  #heldAt(nowMs: number): readonly number[] {
    return nowMs <= this.#held.untilMs ? this.#held.atMs : [];
  }
}
