import { deferred } from '../deferred.ts';

export type EndedBy = 'timeout' | 'unconnected' | 'aborted' | 'held-back' | 'repeated';

/**
 * Ends a request when its time is over, its caller wants it to or it must not leave any more. Built from a controller
 * and a timer that are held until the end: `AbortSignal.timeout` and `AbortSignal.any` hold their sources weakly, so
 * that under memory pressure an abort can be lost while a body is being read.
 */
export function startDeadline(caller: AbortSignal | undefined, deadlineMs: number) {
  const controller = new AbortController();
  // Under the name that a declaration file knows it by.
  const signal: AbortSignal = controller.signal;
  const { promise, resolve } = deferred<void>();
  let endedBy: EndedBy | undefined;
  const end = (why: EndedBy) => {
    endedBy ??= why;
    controller.abort();
    resolve();
  };
  const onAbort = () => end('aborted');
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => end('timeout'), deadlineMs);
  return {
    signal,
    end,
    /** Resolves when the request was ended; never otherwise. */
    ended: promise,
    /** Why the request was ended; `undefined` while it was not. */
    endedBy: () => endedBy,
    /** Releases the timer and the caller's signal. */
    release: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}
