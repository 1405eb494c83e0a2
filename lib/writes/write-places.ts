import { lookAtGate } from '../gate/gate-look.ts';
import { sleepUntil } from '../gate/pause.ts';
import type { Gate } from '../gate/ports.ts';
import { type PlacePorts, takePlaces } from '../gate/take-places.ts';
import { limitFor, type PlainLimit } from '../pace/plain-limit.ts';
import type { WritePorts } from './ports.ts';
import type { WriteSettings } from './write-settings.ts';

/**
 * Longest wait for one place inside an invocation: this time is billed, while a message waits for free, but in
 * whole seconds. While the queue feeds a few functions at once, their places are nearer.
 */
const MAX_WAIT_MS = 30_000;

/** Under a window: the calls for a place. */
const LEAST_AHEAD_MS = 10;

type WritePlacePorts = PlacePorts & Pick<WritePorts, 'clock' | 'random'>;

interface WritePlace {
  readonly atMs: number;
  /** Given up after that: several late requests at once are a burst, and the API may answer with a wait. */
  readonly untilMs: number;
}

interface PlacesOf {
  readonly connection: string;
  readonly settings: Pick<WriteSettings, 'requestsPerSecond'>;
  /** Shared by all writes of the invocation, which raise its wait. */
  readonly gate: { blockedUntilMs: number } & Pick<Gate, 'pace'>;
  /** No request is sent later. */
  readonly latestAtMs: number;
}

/**
 * The places of one invocation's writes of one connection. They are taken one after the other and hardly ahead of their
 * time, so that a live read is behind one write at most.
 */
export class WritePlaces {
  readonly #ports: WritePlacePorts;
  readonly #of: PlacesOf;
  readonly #limit: PlainLimit | undefined;
  readonly #aheadMs: number;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ports: WritePlacePorts, of: PlacesOf) {
    this.#ports = ports;
    this.#of = of;
    this.#limit = limitFor(of.settings.requestsPerSecond, of.gate.pace);
    this.#aheadMs =
      this.#limit?.kind === 'bucket' ? 1000 / this.#limit.requestsPerSecond : LEAST_AHEAD_MS;
  }

  /** When who got no place should ask again: at random, so that the messages of a long queue do not all ask at once. */
  againAtMs(): number {
    const { clock, random } = this.#ports;
    return this.#limit === undefined
      ? clock.now()
      : this.#endMs() + random.fraction() * MAX_WAIT_MS;
  }

  /** Waits for the time of the next place. @returns `false` when there is none in time. */
  async take(): Promise<boolean> {
    const { clock } = this.#ports;
    const endMs = this.#endMs();
    for (;;) {
      const place = await this.#inTurn(endMs);
      if (place === undefined) return false;
      await sleepUntil(clock, place.atMs);
      if (clock.now() <= place.untilMs) return true;
    }
  }

  #endMs(): number {
    return Math.min(this.#of.latestAtMs, this.#ports.clock.now() + MAX_WAIT_MS);
  }

  async #inTurn(endMs: number): Promise<WritePlace | undefined> {
    const inFrontMs = this.#waiting * this.#aheadMs;
    if (this.#limit?.kind === 'bucket' && this.#ports.clock.now() + inFrontMs > endMs) {
      return undefined;
    }
    this.#waiting++;
    const place = this.#turn.then(() => this.#next(endMs));
    this.#turn = place.catch(() => undefined);
    return place.finally(() => {
      this.#waiting--;
    });
  }

  async #next(endMs: number): Promise<WritePlace | undefined> {
    const { clock, random } = this.#ports;
    const { connection, gate } = this.#of;
    const limit = this.#limit;
    for (;;) {
      const nowMs = clock.now();
      if (nowMs > endMs) return undefined;
      if (limit === undefined) return withoutPlace(nowMs);
      const look = await lookAtGate(this.#ports, connection);
      const blockedUntilMs = this.#noteWait(look);
      const earliestAtMs = Math.max(clock.now(), blockedUntilMs);
      const latestAtMs = Math.min(endMs, earliestAtMs + this.#aheadMs);
      const wanted = { connection, limit, caller: 'write' as const, count: 1 };
      const seen = { ...look, blockedUntilMs };
      const taken = await takePlaces(this.#ports, { ...wanted, seen, earliestAtMs, latestAtMs });
      this.#noteWait(taken.look);
      if (taken.kind === 'failed') return withoutPlace(clock.now());
      const atMs = taken.kind === 'granted' ? taken.atMs[0] : undefined;
      // A place within a wait that came meanwhile is lost.
      if (taken.kind === 'granted' && atMs !== undefined && atMs >= gate.blockedUntilMs) {
        return { atMs, untilMs: taken.untilMs };
      }
      const isFull = taken.kind === 'full';
      const freeAtMs = isFull
        ? taken.againAtMs
        : Math.max(clock.now(), gate.blockedUntilMs) + this.#aheadMs;
      if (freeAtMs > endMs) return undefined;
      await sleepUntil(clock, freeAtMs - this.#aheadMs * random.fraction());
    }
  }

  /** A wait that one call shows applies to all writes of the invocation. */
  #noteWait({ blockedUntilMs }: Pick<Gate, 'blockedUntilMs'>): number {
    const { gate } = this.#of;
    gate.blockedUntilMs = Math.max(gate.blockedUntilMs, blockedUntilMs);
    return gate.blockedUntilMs;
  }
}

function withoutPlace(atMs: number): WritePlace {
  return { atMs, untilMs: Number.POSITIVE_INFINITY };
}
