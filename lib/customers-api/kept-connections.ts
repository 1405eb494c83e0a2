type Dispatcher = NonNullable<RequestInit['dispatcher']>;

/** Where undici, of which Node's fetch is a part, keeps what sends its requests, from the first one on. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** What is known of the request of a call of fetch. */
export interface Leaving {
  /** Asked when its connection is there. */
  readonly mayLeave: () => 'now' | 'after-look' | 'never';
  /** Reads what has come, and sends it again. */
  readonly look: (send: () => void) => void;
}

/**
 * Node's fetch closes the connection that was made for a request, as soon as it is there, if the request was aborted before:
 * who holds requests back and asks again would make the same connections over and over. A request that is refused
 * by its handler at that moment ends too, and its connection is kept for the next one. So a request that must not leave
 * before what has come is read is refused as well, and given to the dispatcher again after that.
 *
 * @param leavingOf Asked within the call of fetch.
 * @returns For fetch, the option `dispatcher` (https://nodejs.org/api/globals.html#custom-dispatcher); no option before the
 * first `Request` of the process.
 */
export function connectionKeeper(leavingOf: () => Leaving | undefined): RequestInit {
  const dispatcher: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  if (!isDispatcher(dispatcher)) return {};
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    const leaving = leavingOf();
    const { onConnect, onError } = handler;
    const send = () => dispatcher.dispatch(options, handler);
    if (leaving !== undefined && onConnect !== undefined) {
      let may: ReturnType<Leaving['mayLeave']> = 'now';
      handler.onConnect = (abort) => {
        may = leaving.mayLeave();
        if (may !== 'now') throw new Error('Refused');
        onConnect.call(handler, abort);
      };
      handler.onError = (error) => {
        if (may === 'after-look') leaving.look(send);
        else onError?.call(handler, error);
        may = 'now';
      };
    }
    return send();
  };
  const keeper = new Proxy(dispatcher, {
    get: (target, name) => (name === 'dispatch' ? dispatch : Reflect.get(target, name)),
  });
  return { dispatcher: keeper };
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === 'object' && value !== null && 'dispatch' in value;
}
