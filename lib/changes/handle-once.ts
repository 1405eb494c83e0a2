/** Where it is remembered which events were handled. Each call may throw for an outage: then the event comes again. */
export interface EventStore {
  /**
   * Takes an event for one handler. `new`: it is this one's until `untilMs`, or until it is done or forgotten. `done`:
   * it was handled before. `busy`: another handler has it now.
   *
   * A claim that is repeated with the same token, since its answer was lost, is `new` again.
   */
  claim(claim: EventClaim): Promise<'new' | 'done' | 'busy'>;
  /** The event is handled: from now on it is `done`. Safe to repeat. */
  done(claim: EventClaim): Promise<void>;
  /** The event was not handled: it is `new` again, unless another handler has it by now. Safe to repeat. */
  forget(claim: EventClaim): Promise<void>;
}

export interface EventClaim {
  /** Of the event. */
  readonly id: string;
  /** Another one for each claim. */
  readonly token: string;
  /** When the handler is over at the latest, milliseconds since the epoch: a claim from before is worth nothing. */
  readonly untilMs: number;
}

export type HandledOnce<Answer> =
  | { readonly kind: 'handled'; readonly answer: Answer; readonly storeError?: unknown }
  | { readonly kind: 'done' | 'busy' };

/**
 * Handles an event unless that was done before. An event whose handler crashed is new again when its claim is over: what
 * the handler had done by then is done again.
 *
 * @param isHandled Whether the answer of the handler means that it is never to be called again for this event.
 * @throws What the handler throws: then the event is new again. What `claim` throws: then it was not handled.
 */
export async function handleOnce<Answer>(
  store: EventStore,
  claim: EventClaim,
  handle: () => Promise<Answer>,
  isHandled: (answer: Answer) => boolean,
): Promise<HandledOnce<Answer>> {
  const claimed = await store.claim(claim);
  if (claimed !== 'new') return { kind: claimed };
  try {
    const answer = await handle();
    const storeError = await errorOf(isHandled(answer) ? store.done(claim) : store.forget(claim));
    return { kind: 'handled', answer, ...storeError };
  } catch (error) {
    // Without it the event is new when the claim is over.
    await errorOf(store.forget(claim));
    throw error;
  }
}

/** What failed after the handler: the event was handled, or comes again, all the same. */
async function errorOf(call: Promise<void>): Promise<{ readonly storeError?: unknown }> {
  try {
    await call;
    return {};
  } catch (storeError) {
    return { storeError };
  }
}
