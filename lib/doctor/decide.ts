import { nextRead } from './next-read.ts';
import { ReadHistory } from './read-history.ts';
import { type DoctorRead, factsOf, type SeenRead } from './seen-read.ts';

const MOST_READS = 10;
/** Between two reads of an API that asks for no wait: far below any limit that people set. */
const PAUSE_SECONDS = 0.25;
/** After a failure that passes. */
const FAILURE_PAUSE_SECONDS = 2;

/** Why an examination ended. */
export type Ending =
  | 'all-asked'
  | 'authentication-failure'
  /** An answer that repeating does not change. */
  | 'refused'
  /** No whole answer came. */
  | 'unavailable'
  /** The API asks for a longer wait than is sat out. */
  | 'wait-too-long'
  | 'reads-used-up';

export type Decision =
  | {
      readonly kind: 'read';
      readonly read: DoctorRead;
      /** After the answer to the last read. */
      readonly afterSeconds: number;
    }
  | {
      readonly kind: 'end';
      readonly ending: Ending;
      /** With `wait-too-long`: for how long the API wants no request. */
      readonly waitSeconds?: number;
    };

/**
 * What to do after the answers so far: another read, or the end.
 *
 * @param maxWaitSeconds Longest sum of waits that the API may ask for.
 */
export function decide(reads: readonly SeenRead[], maxWaitSeconds: number): Decision {
  const history = new ReadHistory(reads);
  const stop = stopAfter(history);
  if (stop !== undefined) return { kind: 'end', ending: stop };
  const read = repeatOf(reads) ?? nextRead(history);
  if (read === undefined) return { kind: 'end', ending: endingOf(history) };
  if (reads.length >= MOST_READS) return { kind: 'end', ending: 'reads-used-up' };
  const last = reads.at(-1);
  const afterSeconds = last === undefined ? 0 : pauseAfter(last);
  if (waitedSeconds(reads) + askedSeconds(last) > maxWaitSeconds) {
    return { kind: 'end', ending: 'wait-too-long', waitSeconds: askedSeconds(last) };
  }
  return { kind: 'read', read, afterSeconds };
}

/** Seconds that were waited since the API asked for it, of all reads but the last. */
export function waitedSeconds(reads: readonly SeenRead[]): number {
  return reads.slice(0, -1).reduce((sum, read) => sum + askedSeconds(read), 0);
}

function stopAfter({ reads, base }: ReadHistory): Ending | undefined {
  const last = reads.at(-1)?.outcome;
  switch (last?.kind) {
    case 'authentication-failure':
      return 'authentication-failure';
    case 'refused':
      // These are said once and hold for every request.
      return ['redirect', 'certificate', 'key-echo', 'key-in-request'].includes(last.reason)
        ? 'refused'
        : undefined;
    case 'unavailable': {
      // A host that cannot be reached is most likely mistyped: that is said at once.
      const isFirst = base === undefined && last.reason !== 'server-error' && last.reason !== 'cut';
      return isFirst || failuresInRow(reads) >= MOST_FAILURES ? 'unavailable' : undefined;
    }
    default:
      return undefined;
  }
}

function endingOf({ reads, base }: ReadHistory): Ending {
  if (base !== undefined) return 'all-asked';
  return reads.at(-1)?.outcome.kind === 'unavailable' ? 'unavailable' : 'refused';
}

/** A page that an API never gives, such as page 0, is asked for twice; then it is left out. */
const MOST_TRIES = 2;
const MOST_FAILURES = 3;

/** The last read, if its answer was none that stays. */
function repeatOf(reads: readonly SeenRead[]): DoctorRead | undefined {
  const last = reads.at(-1);
  if (last?.outcome.kind === 'throttled') return last.asked;
  const isLeft = last?.outcome.kind === 'unavailable' && failuresInRow(reads) < MOST_TRIES;
  return isLeft ? last.asked : undefined;
}

function failuresInRow(reads: readonly SeenRead[]): number {
  const other = reads.findLastIndex(({ outcome }) => outcome.kind !== 'unavailable');
  return reads.length - 1 - other;
}

function pauseAfter(read: SeenRead): number {
  const least = read.outcome.kind === 'unavailable' ? FAILURE_PAUSE_SECONDS : PAUSE_SECONDS;
  return Math.max(least, askedSeconds(read));
}

/** What the API asks for, whatever it answered; also where it admits no further request for now. */
function askedSeconds(read: SeenRead | undefined): number {
  if (read === undefined) return 0;
  const { retryAfterSeconds = 0, rateLimit } = factsOf(read);
  return rateLimit?.remaining === 0
    ? Math.max(retryAfterSeconds, rateLimit.resetSeconds ?? 0)
    : retryAfterSeconds;
}
