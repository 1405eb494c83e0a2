import { randomOf } from '../../infra/simulator/random.ts';
import { throttled, tokenBucket } from '../faults/model-api.ts';
import type { FleetConnection } from './fleet.ts';

export type Temper = 'quiet' | 'limited' | 'blocked';

export interface SampleConnection extends FleetConnection {
  readonly temper: Temper;
}

/** What the first answer of a blocked connection asks for. */
export const BLOCKED_SECONDS = 600;

/** Requests a second that the limited ones may send in the long run. */
export const LIMITED_PER_SECOND = 2;

/** A tenth is blocked for ten minutes, three tenths have an API that allows 2 requests a second after 5. */
const SHARE = { blocked: 0.1, limited: 0.4 } as const;

/** Connections with 1 to 30 pages. The same number gives the same ones. */
export function sampleConnections(count: number): readonly SampleConnection[] {
  const random = randomOf(count);
  return Array.from({ length: count }, (_, index) => {
    const pages = 1 + Math.floor(random() * 30);
    const chance = random();
    const temper: Temper =
      chance < SHARE.blocked ? 'blocked' : chance < SHARE.limited ? 'limited' : 'quiet';
    return { name: `org-${index}`, pages, temper, behaviour: () => BEHAVIOURS[temper]() };
  });
}

const BEHAVIOURS = {
  quiet: () => () => undefined,
  limited: () => tokenBucket(LIMITED_PER_SECOND, 5),
  blocked:
    () =>
    ({ before }: { readonly before: number }) =>
      before === 0 ? throttled(BLOCKED_SECONDS) : undefined,
} as const;
