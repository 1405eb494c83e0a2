import type { StatedQuota } from '../customers-api/stated-quotas.ts';
import { defined } from '../defined.ts';
import type { HeadFacts, RetryAfterForm } from './head-facts.ts';
import { factsOf, type SeenRead } from './seen-read.ts';

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
    stated: (withHeaders && factsOf(withHeaders).rateLimit?.quotas) ?? [],
    throttles: [...throttles.values()],
  };
}

function throttleIn(read: SeenRead): SeenThrottle | undefined {
  const { retryAfterSeconds, waitAsSent } = factsOf(read);
  const { head } = read;
  if (retryAfterSeconds === undefined || head === undefined) return undefined;
  const header = waitAsSent?.split(':')[0];
  const form = header === 'Retry-After' ? head.retryAfterForm : undefined;
  return { status: head.status, waitSeconds: retryAfterSeconds, ...defined({ header, form }) };
}
