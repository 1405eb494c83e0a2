/** What keeps other workers away from an item until its time is over. */
export interface Lease {
  /** Unique to the claim. */
  readonly owner: string;
  readonly untilMs: number;
}

/** The invocation that a step has to fit in, as Lambda's context tells. */
export interface Invocation {
  /** Milliseconds until the function is ended. */
  remainingMs(): number;
}
