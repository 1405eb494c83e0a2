type Dispatcher = NonNullable<RequestInit['dispatcher']>;

/** Where undici, of which Node's fetch is a part, keeps what sends its requests, from the first one on. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/**
 * Node's fetch closes the connection that was made for a request, as soon as it is there, if the request was aborted before:
 * who holds requests back and asks again would make the same connections over and over. A request that is refused
 * by its handler at that moment ends too, and its connection is kept for the next one.
 *
 * @param isHeldBack Whether the request of a call of fetch must not leave; asked within that call.
 * @returns For fetch, the option `dispatcher` (https://nodejs.org/api/globals.html#custom-dispatcher); no option before the
 * first request of the process.
 */
export function connectionKeeper(isHeldBack: () => (() => boolean) | undefined): RequestInit {
  const dispatcher: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  if (!isDispatcher(dispatcher)) return {};
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    const isRefused = isHeldBack();
    const { onConnect } = handler;
    if (isRefused !== undefined && onConnect !== undefined) {
      handler.onConnect = (abort) => {
        if (isRefused()) throw new Error('Refused');
        onConnect.call(handler, abort);
      };
    }
    return dispatcher.dispatch(options, handler);
  };
  const keeper = new Proxy(dispatcher, {
    get: (target, name) => (name === 'dispatch' ? dispatch : Reflect.get(target, name)),
  });
  return { dispatcher: keeper };
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === 'object' && value !== null && 'dispatch' in value;
}
