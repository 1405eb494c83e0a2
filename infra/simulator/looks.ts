import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** The first ones after an answer; later ones come after a tenth of the time since then, which is as good as that. */
const EVERY_MS = 5;
const SHARE = 0.1;
/** What is read before the first look may have been there before the answer, in whole ms by any rounding. */
const BEFORE_MS = 2;

/**
 * When the simulator looked at its connections. A busy machine lets it read late what came in time: all that it knows of
 * a request is that it came after the latest look. It looks only after answers that forbid requests.
 */
export class Looks {
  readonly #closing: AbortSignal;
  #lookedAtMs: number | undefined;
  #untilMs = 0;
  #followed = 0;

  /** @param closing Aborted when the simulator closes. */
  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  /** Looks again and again, for so long from now on. */
  follow(forMs: number): void {
    const nowMs = performance.now();
    this.#lookedAtMs = Math.min(this.#lookedAtMs ?? nowMs, nowMs - BEFORE_MS);
    this.#untilMs = Math.max(this.#untilMs, nowMs + forMs);
    this.#followed++;
    void this.#look(nowMs, this.#followed);
  }

  /** How long a request that is read now may have been there, whole ms; `undefined` when nothing is followed. */
  unreadMs(): number | undefined {
    const lookedAtMs = this.#lookedAtMs;
    return lookedAtMs === undefined ? undefined : Math.floor(performance.now() - lookedAtMs);
  }

  async #look(sinceMs: number, followed: number): Promise<void> {
    for (;;) {
      const atMs = performance.now();
      // Two turns of the event loop: the first one may end before it looks at the sockets.
      await nextTurn();
      await nextTurn();
      if (followed !== this.#followed) return;
      this.#lookedAtMs = atMs;
      if (this.#closing.aborted || atMs >= this.#untilMs) break;
      const pauseMs = Math.max(EVERY_MS, (atMs - sinceMs) * SHARE);
      await wait(pauseMs, undefined, { signal: this.#closing, ref: false }).catch(() => undefined);
      if (followed !== this.#followed) return;
    }
    this.#lookedAtMs = undefined;
  }
}
