import type { Answered } from './pacer.ts';

/** A request that shows something of the limit once it is answered. */
export interface Sent {
  /** When it left; until then, and where nobody tells, when it was counted. */
  atMs: number;
  /** Requests under way when it left, itself included. */
  atOnce: number;
  answered?: Answered;
  /** Whether a stated limit explains its throttle. */
  isExplained?: boolean;
  /** By another caller: its answer is not known. */
  isElsewhere?: boolean;
  hasLeft: boolean;
  /** Limits count it: as it leaves, or at once where nobody tells. */
  isSpent: boolean;
}

/**
 * The requests of which nothing was learned yet, in the order in which the API meets them. One that waits for its connection
 * leaves some latencies later than one that is counted after it and has a connection: those that have not left come last.
 * Where nobody tells when they leave, the order is that in which they were counted.
 */
export class SentRequests {
  readonly #all: Sent[] = [];
  #seesLeaving = false;

  get count(): number {
    return this.#all.length;
  }

  get all(): readonly Readonly<Sent>[] {
    return this.#all;
  }

  /** Those without an answer. */
  get underWay(): number {
    return unanswered(this.#all);
  }

  /** Those that limits count when they leave. */
  get waiting(): number {
    return unanswered(this.#all.filter(({ isSpent }) => !isSpent));
  }

  get first(): Sent | undefined {
    return this.#all[0];
  }

  add(nowMs: number): Sent {
    const isSpent = !this.#seesLeaving;
    const sent: Sent = { atMs: nowMs, atOnce: this.count + 1, hasLeft: false, isSpent };
    this.#all.push(sent);
    return sent;
  }

  addElsewhere(atMs: number): void {
    const sent = this.add(atMs);
    sent.isSpent = true;
    sent.isElsewhere = true;
    this.answer(sent, { kind: 'admitted', atMs });
  }

  /** @returns Whether limits have to count it now. */
  left(sent: Sent, nowMs: number): boolean {
    const { isSpent } = sent;
    this.#seesLeaving = true;
    sent.atMs = nowMs;
    sent.isSpent = true;
    this.#place(sent);
    return !isSpent;
  }

  answer(sent: Sent, answered: Answered): void {
    sent.answered = answered;
    // What has ended without leaving must not hold up what others show.
    if (this.#seesLeaving && !sent.hasLeft) this.#place(sent);
  }

  remove(sent: Sent): void {
    this.#all.splice(this.#all.indexOf(sent), 1);
  }

  /** Those that were sent after the first one, until then. */
  behindFirst(untilMs: number): readonly Sent[] {
    const isKnown = ({ hasLeft }: Sent) => hasLeft || !this.#seesLeaving;
    return this.#all.slice(1).filter((each) => isKnown(each) && each.atMs <= untilMs);
  }

  #place(sent: Sent): void {
    this.remove(sent);
    sent.hasLeft = true;
    const at = 1 + this.#all.findLastIndex((each) => each.hasLeft && each.atMs <= sent.atMs);
    this.#all.splice(at, 0, sent);
    sent.atOnce = 1 + unanswered(this.#all.slice(0, at));
  }
}

function unanswered(sent: readonly Readonly<Sent>[]): number {
  return sent.filter(({ answered }) => answered === undefined).length;
}
