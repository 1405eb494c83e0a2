import { deferred } from '../deferred.ts';

export type EndedBy = 'timeout' | 'aborted' | 'held-back' | 'repeated';

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
  const stop = startTimer(deadlineMs, () => end('timeout'));
  return {
    signal,
    end,
    /** Resolves when the request was ended; never otherwise. */
    ended: promise,
    /** Why the request was ended; `undefined` while it was not. */
    endedBy: () => endedBy,
    /** Releases the timer and the caller's signal. */
    release: () => {
      stop();
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

/** Longest time that a process gets back, in which it stood still: more than reading takes what has come, or setting up TLS. */
const MAX_RETURNED_MS = 1_000;

/**
 * Calls when the time is over. A process that stood still gets to its timers before its sockets, in which the answer may lie
 * already, a wait too: so the time in which it stood still at the end is returned once.
 *
 * @returns What stops it.
 */
export function startTimer(ms: number, onOver: () => void): () => void {
  const overAtMs = performance.now() + ms;
  let timer = setTimeout(() => {
    const lateMs = Math.max(0, performance.now() - overAtMs);
    timer = setTimeout(onOver, Math.min(lateMs, MAX_RETURNED_MS));
  }, ms);
  return () => clearTimeout(timer);
}
