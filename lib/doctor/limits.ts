import type { StatedQuota } from '../customers-api/stated-quotas.ts';
import type { HeadFacts, RetryAfterForm } from './head-facts.ts';
import type { SeenRead } from './seen-read.ts';

/** What the answers show of the API's limit. */
export interface SeenLimits {
  /** Headers of the last answer that had some. */
  readonly headers: HeadFacts['limitHeaders'];
  /** What they state, as it is kept from the first request on. */
  readonly stated: readonly StatedQuota[];
  /** Of each kind of throttle one. */
  readonly throttles: readonly SeenThrottle[];
}

interface SeenThrottle {
  readonly status: number;
  /** Absent where the answer named no wait: then it is guessed. */
  readonly header?: string;
  /** Of `Retry-After`. */
  readonly form?: RetryAfterForm;
  readonly waitSeconds: number;
}

export function limitsOf(reads: readonly SeenRead[]): SeenLimits {
  const withHeaders = reads.findLast(({ head }) => (head?.limitHeaders.length ?? 0) > 0);
  const throttles = new Map<string, SeenThrottle>();
  for (const read of reads) {
    const throttle = throttleIn(read);
    if (throttle === undefined) continue;
    const { status, header = '', form = '' } = throttle;
    throttles.set(`${status} ${header} ${form}`, throttle);
  }
  return {
    headers: withHeaders?.head?.limitHeaders ?? [],
    stated: factsIn(withHeaders)?.rateLimit?.quotas ?? [],
    throttles: [...throttles.values()],
  };
}

function factsIn(read: SeenRead | undefined) {
  return read?.outcome.kind === 'page' ? read.outcome.page : read?.outcome;
}

function throttleIn(read: SeenRead): SeenThrottle | undefined {
  const { retryAfterSeconds, waitAsSent } = factsIn(read) ?? {};
  const { head } = read;
  if (retryAfterSeconds === undefined || head === undefined) return undefined;
  const header = waitAsSent?.split(':')[0];
  const { retryAfterForm } = head;
  return {
    status: head.status,
    waitSeconds: retryAfterSeconds,
    ...(header === undefined ? {} : { header }),
    ...(header === 'Retry-After' && retryAfterForm !== undefined ? { form: retryAfterForm } : {}),
  };
}
