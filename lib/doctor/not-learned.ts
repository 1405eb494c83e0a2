import type { Ending } from './decide.ts';
import { hasSeveralPages } from './doctor-settings.ts';
import type { ListProfile, Profile } from './profile.ts';

/** What an examination did not show, and why. */
export interface NotLearned {
  readonly what:
    | 'first-page'
    | 'end'
    | 'largest-page'
    | 'odd-sizes'
    | 'order'
    | 'id'
    | 'throttle'
    | 'clock'
    | 'list';
  readonly why: /** The examination ended before. */
    | Exclude<Ending, 'all-asked'>
    | 'list-is-empty'
    | 'list-is-short'
    | 'page-is-ignored'
    /** Pages behind the one that was asked for still had records. */
    | 'list-is-endless'
    | 'nothing-shows-it'
    | 'not-throttled'
    | 'no-date';
}

export function notLearnedOf({
  ending,
  list,
  limits,
  clockAheadSeconds,
}: Profile): readonly NotLearned[] {
  const early = ending === 'all-asked' ? undefined : ending;
  const throttle =
    limits.throttles.length === 0 ? [{ what: 'throttle', why: 'not-throttled' } as const] : [];
  const clock = clockAheadSeconds === undefined ? [{ what: 'clock', why: 'no-date' } as const] : [];
  if (list === undefined) return [{ what: 'list', why: early ?? 'refused' }];
  return [...ofList(list, early), ...throttle, ...clock];
}

function ofList(list: ListProfile, early: NotLearned['why'] | undefined): readonly NotLearned[] {
  const { firstPage, end, sizes, order, id, cost, ignoresPage } = list;
  const isEmpty = cost.records === 0;
  const basic = isEmpty ? 'list-is-empty' : undefined;
  const paged = basic ?? (ignoresPage ? 'page-is-ignored' : undefined);
  const short = hasSeveralPages(list) ? undefined : 'list-is-short';
  const say = (what: NotLearned['what'], isMissing: boolean, why: NotLearned['why'] | undefined) =>
    isMissing ? [{ what, why: why ?? early ?? 'nothing-shows-it' } as const] : [];
  const isEndless = end?.pastEnd === 'records';
  const isOrderMissing = ['unknown', 'unstable', 'too-few'].includes(order.kind);
  return [
    ...say('first-page', firstPage === undefined, basic),
    ...say(
      'end',
      end === undefined || isEndless || ignoresPage,
      isEndless ? 'list-is-endless' : paged,
    ),
    ...say('largest-page', sizes?.isLargestKnown !== true, paged ?? short),
    ...say('odd-sizes', sizes?.odd === undefined, paged ?? short),
    ...say(
      'order',
      isOrderMissing,
      basic ?? (order.kind === 'too-few' ? 'list-is-short' : undefined),
    ),
    ...say('id', id.kind !== 'found', basic),
  ];
}
