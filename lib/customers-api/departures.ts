import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as v from 'valibot';
import { connectionKeeper, type Leaving } from './kept-connections.ts';

/**
 * The requests of one client that have not left yet. One whose connection is still being made when the API
 * answers another one with a wait, or rejects the key, must not be sent any more.
 *
 * Node's fetch does not say when it sends a request. undici, of which it is a part, publishes messages
 * (https://undici.nodejs.org/#/docs/api/DiagnosticsChannel):
 *
 * - `undici:request:create` comes within the call of fetch, so its asynchronous context is the call's own.
 * - `undici:client:sendHeaders` comes when the connection is there, just before the bytes are written to it. Its
 *   context may be that of another call, for which the connection was made; the call is found by undici's
 *   request object. Over HTTP/2 undici 6 says nothing then.
 * - `undici:request:bodySent` comes when all of the request is written, also one without a body.
 * - `undici:request:headers` comes with the head of each answer, also of those that fetch shows nobody.
 *
 * A request that is aborted between the two, or in the second one, is never written. Without the first message nothing is known, as for a
 * fetch that is not undici's: such a request is not held back. After a 421 undici sends the request a second time
 * (Fetch standard, "HTTP-network-or-cache fetch"), a write too: that is prevented. All messages carry the request's headers
 * and so the key: nothing is read of it but which one it is, and that is held weakly.
 */
export interface Departures {
  readonly begin: (told: ToldOfCall) => TrackedCall;
  /** Holds back all requests that have not left yet. */
  readonly holdBack: () => void;
  /** For Node's fetch: keeps the connections that are being made for requests that are held back. */
  readonly fetchOptions: () => RequestInit;
}

/** Who is told of a call, or asked. */
interface ToldOfCall {
  /** Ends the call whose request must not leave, or not leave again. */
  readonly abort: (hasLeft: boolean) => void;
  /** Asked when its request would leave: its connection may be there only after the process stood still. */
  readonly mayLeave: (hasLeft: boolean) => boolean;
  /** Its request leaves. @default nobody is told */
  readonly onLeave?: (() => void) | undefined;
  /** Told of the head of an answer that fetch shows nobody. @default nobody is */
  readonly onHidden?: ((head: HiddenHead) => void) | undefined;
}

/** Of an answer that fetch shows nobody. */
interface HiddenHead {
  readonly status: number;
  readonly headers: Headers;
}

/** What is known of a request: that it has not left, that it has, or nothing, as with a fetch that is not undici's. */
export type Whereabouts = 'kept' | 'left' | 'unknown';

interface TrackedCall {
  /** Runs it once all that has come is read. */
  readonly run: <T>(call: () => Promise<T>) => Promise<T>;
  readonly whereabouts: () => Whereabouts;
}

interface Departure extends ToldOfCall {
  stage: 'waiting' | 'called' | 'created' | 'left';
  isHeldBack: boolean;
  /** By a clock that nobody sets, ms. */
  readonly now: () => number;
  /** What had come by then is read. */
  lookedAtMs: number;
  /** How long ago that may be when it leaves. */
  patienceMs: number;
  readonly mayRepeat: boolean;
}

const WHEREABOUTS: Readonly<Record<Departure['stage'], Whereabouts>> = {
  waiting: 'unknown',
  called: 'unknown',
  created: 'kept',
  left: 'left',
};

const calls = new AsyncLocalStorage<Departure>();
const departureOf = new WeakMap<object, Departure>();
let isListening = false;

/** What comes later than this before a request leaves may cross it on its way. */
const PATIENCE_MS = 10;

/**
 * @param mayRepeat Whether a call may send more than one request while nothing asks to wait.
 * @param now Milliseconds since any moment, by a clock that nobody sets.
 */
export function createDepartures(mayRepeat: boolean, now = () => performance.now()): Departures {
  listen();
  const underWay = new Set<Departure>();
  return {
    fetchOptions: () =>
      connectionKeeper(() => {
        const departure = calls.getStore();
        return departure && leavingOf(departure);
      }),
    begin: (told) => {
      const departure: Departure = {
        stage: 'waiting',
        isHeldBack: false,
        now,
        lookedAtMs: 0,
        patienceMs: PATIENCE_MS,
        mayRepeat,
        ...told,
      };
      return {
        run: async (call) => {
          underWay.add(departure);
          try {
            await readWhatHasCome(departure);
            if (departure.isHeldBack) throw new Error('Held back');
            departure.stage = 'called';
            return await calls.run(departure, call);
          } finally {
            underWay.delete(departure);
          }
        },
        whereabouts: () => WHEREABOUTS[departure.stage],
      };
    },
    holdBack: () => {
      for (const departure of underWay) {
        departure.isHeldBack = true;
        if (departure.stage === 'waiting' || departure.stage === 'created') departure.abort(false);
      }
    },
  };
}

function isRecent({ now, lookedAtMs, patienceMs }: Departure): boolean {
  return now() - lookedAtMs <= patienceMs;
}

/**
 * Lets the event loop look at all sockets. After a busy moment an answer that asks for a wait may have come on one
 * connection while the answer on another one made the caller ask for more. Two turns: the first one may end before the
 * sockets are looked at. More where it took long to read what was there, as more may have come meanwhile; each of them may take
 * longer, so that the request leaves in the end.
 */
async function readWhatHasCome(departure: Departure): Promise<void> {
  await nextTurn();
  for (;;) {
    departure.lookedAtMs = departure.now();
    await nextTurn();
    if (isRecent(departure)) return;
    departure.patienceMs *= 2;
  }
}

/** A request whose connection had to be made leaves much later than it was called, in a moment that may be a busy one. */
function leavingOf(departure: Departure): Leaving {
  return {
    mayLeave: () => {
      // Over HTTP/2 undici would send a second request of a call though it was aborted.
      if (departure.stage === 'left') return 'never';
      // One that was never created is not refused: a dispatcher that plays an API, as undici's MockAgent does, takes no
      // handler that throws.
      if (departure.stage !== 'created') return 'now';
      if (departure.isHeldBack) return 'never';
      return isRecent(departure) ? 'now' : 'after-look';
    },
    look: (send) => {
      departure.patienceMs *= 2;
      void readWhatHasCome(departure).then(() => calls.run(departure, send));
    },
  };
}

/** Once a process, and only where requests are made. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  subscribe('undici:request:create', (message) => {
    const departure = calls.getStore();
    const request = requestIn(message);
    // A proxy's own request carries nothing of the call.
    if (departure === undefined || ('method' in request && request.method === 'CONNECT')) return;
    departureOf.set(request, departure);
    const hasLeft = departure.stage === 'left';
    if (departure.stage === 'called') departure.stage = 'created';
    if (departure.isHeldBack || (hasLeft && !departure.mayRepeat)) departure.abort(hasLeft);
  });
  subscribe('undici:client:sendHeaders', (message) => {
    const request = requestIn(message);
    const departure = departureOf.get(request);
    const hasLeft = departure?.stage === 'left';
    if (departure === undefined || departure.mayLeave(hasLeft)) return noteLeft(message);
    // undici says that what is aborted here was written, if it has no body.
    departureOf.delete(request);
    departure.abort(hasLeft);
  });
  subscribe('undici:request:bodySent', noteLeft);
  subscribe('undici:request:headers', (message) => {
    const { onHidden } = departureOf.get(requestIn(message)) ?? {};
    const hidden = onHidden && v.safeParse(HiddenAnswerSchema, message, { abortEarly: true });
    if (hidden?.success) onHidden?.(hidden.output);
  });
}

function noteLeft(message: unknown): void {
  const departure = departureOf.get(requestIn(message));
  if (departure === undefined || departure.stage === 'left') return;
  departure.stage = 'left';
  departure.onLeave?.();
}

/** Its status is one after which fetch fails, or asks again (Fetch standard, "HTTP-network-or-cache fetch"). */
const HiddenAnswerSchema = v.pipe(
  v.object({
    response: v.object({
      statusCode: v.picklist([407, 421]),
      headers: v.array(v.custom<Buffer>(Buffer.isBuffer)),
    }),
  }),
  v.transform(({ response: { statusCode: status, headers: texts } }) => {
    const headers = new Headers();
    texts.forEach((text, index) => {
      if (index % 2 > 0) headers.append(String(texts[index - 1]), text.toString('latin1'));
    });
    return { status, headers };
  }),
);

function requestIn(message: unknown): object {
  const isMessage = typeof message === 'object' && message !== null && 'request' in message;
  const request = isMessage ? message.request : undefined;
  return typeof request === 'object' && request !== null ? request : {};
}
