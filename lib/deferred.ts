export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** `Promise.withResolvers`, which Node.js 20 does not have. */
export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error('A promise calls its executor at once.');
  return { promise, ...settle };
}

/** What a call gives to its callback, as by `promisify`; to load `node:util` for that takes a start too long. */
export function fromCallback<T>(
  call: (done: (error: Error | null, result: T) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = deferred<T>();
  call((error, result) => (error === null ? resolve(result) : reject(error)));
  return promise;
}
