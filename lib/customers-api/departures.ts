import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

/**
 * The requests of one client that have not left yet. One whose connection is still being made when the API
 * answers another one with a wait, or rejects the key, must not be sent any more.
 *
 * Node's fetch does not say when it sends a request. undici, of which it is a part, publishes two messages
 * (https://undici.nodejs.org/#/docs/api/DiagnosticsChannel):
 *
 * - `undici:request:create` comes within the call of fetch, so its asynchronous context is the call's own.
 * - `undici:client:sendHeaders` comes when the connection is there, just before the bytes are written to it. Its
 *   context may be that of another call, for which the connection was made; the call is found by undici's
 *   request object.
 *
 * A request that is aborted between the two is never written. Without the first message nothing is known, as for
 * a fetch that is not undici's: such a request is not held back. Both messages carry the headers and so the key:
 * nothing is read from them but which request they are about, and that is held weakly.
 */
export interface Departures {
  /**
   * Runs a call of fetch.
   *
   * @param abort Ends the call whose request is held back.
   */
  readonly track: <T>(call: () => Promise<T>, abort: () => void) => Promise<T>;
  /** Holds back all requests that have not left yet. */
  readonly holdBack: () => void;
}

interface Departure {
  stage: 'called' | 'created' | 'left';
  isHeldBack: boolean;
  readonly abort: () => void;
}

const calls = new AsyncLocalStorage<Departure>();
const departureOf = new WeakMap<object, Departure>();
let isListening = false;

export function createDepartures(): Departures {
  listen();
  const underWay = new Set<Departure>();
  return {
    track: async (call, abort) => {
      const departure: Departure = { stage: 'called', isHeldBack: false, abort };
      underWay.add(departure);
      try {
        return await calls.run(departure, call);
      } finally {
        underWay.delete(departure);
      }
    },
    holdBack: () => {
      for (const departure of underWay) {
        departure.isHeldBack = true;
        if (departure.stage === 'created') departure.abort();
      }
    },
  };
}

/** Once a process, and only where requests are made. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  subscribe('undici:request:create', (message) => {
    const departure = calls.getStore();
    if (departure?.stage !== 'called') return;
    departure.stage = 'created';
    departureOf.set(requestIn(message), departure);
    if (departure.isHeldBack) departure.abort();
  });
  subscribe('undici:client:sendHeaders', (message) => {
    const departure = departureOf.get(requestIn(message));
    if (departure !== undefined) departure.stage = 'left';
  });
}

function requestIn(message: unknown): object {
  const isMessage = typeof message === 'object' && message !== null && 'request' in message;
  const request = isMessage ? message.request : undefined;
  return typeof request === 'object' && request !== null ? request : {};
}
