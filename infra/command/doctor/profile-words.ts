import type { StatedQuota } from '../../../lib/customers-api/stated-quotas.ts';
import type { FirstPage } from '../../../lib/doctor/first-page.ts';
import type { SeenLimits } from '../../../lib/doctor/limits.ts';
import type { SeenOrder } from '../../../lib/doctor/list-order.ts';
import type { MetaFindings, MetaReason } from '../../../lib/doctor/meta-names.ts';
import type { PageSizes } from '../../../lib/doctor/page-sizes.ts';
import type { ListProfile, Profile } from '../../../lib/doctor/profile.ts';
import type { TextRow } from '../../command-line/text-table.ts';
import { bytesText, count, counted, durationText } from '../../command-line/words.ts';

/** What was found, each in a sentence or two for a person. */
export function profileRows(profile: Profile): readonly TextRow[] {
  const { list, limits, clockAheadSeconds, problem } = profile;
  const isUnreached = problem !== undefined && problem.status === undefined;
  const isUnanswered = isUnreached && list === undefined && limits.throttles.length === 0;
  return [
    ...(list === undefined ? [] : listRows(list)),
    isUnanswered ? undefined : ['Limit', limitWords(limits)],
    clockAheadSeconds === undefined ? undefined : ['Clock', clockWords(clockAheadSeconds)],
    list && ['Cost', costWords(list)],
  ];
}

function listRows(list: ListProfile): readonly TextRow[] {
  return [
    ['Records', recordsWords(list)],
    ['Meta', metaWords(list)],
    list.firstPage && ['First page', firstPageWords(list.firstPage)],
    ['End', endWords(list)],
    list.sizes && ['Page size', sizeWords(list.sizes)],
    ['Order', orderWords(list.order)],
    ['Id', idWords(list)],
  ];
}

function recordsWords({ items: { path, isFoundByRule, others } }: ListProfile): string {
  if (path === '') return 'The answer is the list itself, with nothing around it.';
  if (isFoundByRule) return `In ${path}, found by rule.`;
  const choice =
    others.length === 0
      ? ''
      : ` Others that could be meant: ${others.join(', ')}; if so, give --items-key.`;
  return `In ${path}. No rule finds it, so itemsKey has to name it.${choice}`;
}

function metaWords({ meta, digitTexts, linkParameters }: ListProfile): string {
  const lines = [
    meta.names.length === 0 ? 'Nothing with a known name.' : meta.names.map(nameWords).join(', '),
    ...meta.reasons.map(({ evidence, reason }) => {
      const setting = meta.metaKeys[evidence];
      const value = setting === false ? 'false' : `to ${setting}`;
      return `Set metaKeys.${evidence} ${value}: ${REASONS[reason]}`;
    }),
    ...digitTexts.map((path) => `${path} is a number in quotes, which is not read.`),
  ];
  const foreign = linkParameters.filter((name) => !['page', 'per_page'].includes(name));
  if (linkParameters.length > 0 && !linkParameters.includes('page')) {
    lines.push(
      `Its links to the next page have ${foreign.join(', ')} and no page: this API may ask for its pages in another way.`,
    );
  }
  return lines.join('\n');
}

function nameWords({ evidence, path }: MetaFindings['names'][number]): string {
  return `${evidence}: ${path}`;
}

const REASONS: Readonly<Record<MetaReason, string>> = {
  'ends-too-early': 'it says that the list is over where more pages follow.',
  'never-ends': 'it says that more follow where nothing does, which an export would believe.',
  'does-not-follow-the-page': 'it is the same on different pages.',
  'before-the-first-page': 'it names a page before the first one.',
  'less-than-received': 'it is less than what came.',
  'counts-one-page': 'it counts the records of its own page.',
  counted: 'its value is what the whole list was found to have.',
};

function firstPageWords({ number, shownBy }: FirstPage): string {
  const shown: Readonly<Record<FirstPage['shownBy'], string>> = {
    'page-0-refused': 'page 0 is refused',
    'page-0-empty': 'page 0 is empty',
    'page-0-is-page-1': 'page 0 has the records of page 1',
    'page-0-has-everything': 'page 0 has the whole list',
    'page-0-has-others': 'page 0 has other records than page 1',
    'page-1-refused': 'page 0 has records, and page 1 is refused',
    'page-1-empty': 'page 0 has records, and page 1 is empty',
  };
  return `${number}: ${shown[shownBy]}.`;
}

function endWords({ end, ignoresPage, cost, records }: ListProfile): string {
  if (cost.records === 0) return 'The list is empty.';
  if (ignoresPage) {
    return 'Every page has the records of the first one: the API does not know the parameter page here, or the list has one page which it gives for every number. An export refuses that.';
  }
  const size =
    end?.pages === undefined
      ? totalWords(records)
      : `${count(end.records ?? 0)} records on ${counted(end.pages, 'page')} of that size. `;
  switch (end?.pastEnd) {
    case 'empty':
      return `${size}A page behind the end is empty.`;
    case 'refused':
      return `${size}A page behind the end is refused with status ${end.status}.`;
    case 'repeats':
      return `${size}A page behind the end has the records of an earlier one.`;
    case 'records':
      return `${size}Page 100,000 from the first one still has records: the list is very long, or it has no end. Bound exports with maxPages.`;
    default:
      return `${size}What comes behind the end was not asked for.`;
  }
}

function totalWords(records: number | undefined): string {
  return records === undefined ? '' : `${count(records)} records, as the API says. `;
}

function sizeWords({ tried, largest, isLargestKnown, refusedFrom, odd }: PageSizes): string {
  const refused =
    refusedFrom === undefined ? 'a larger per_page is lowered' : `${count(refusedFrom)} is refused`;
  const most = isLargestKnown
    ? `At most ${count(largest)} records: ${refused}.`
    : largest === 0
      ? 'Unknown, as the list is empty.'
      : `At least ${count(largest)} records.`;
  const odds: Readonly<Record<NonNullable<PageSizes['odd']>, string>> = {
    taken: 'Sizes below are taken as they are asked for.',
    lowered: 'Only some sizes are taken; others are lowered.',
    refused: 'Only some sizes are taken; others are refused.',
    fixed: 'Every page has the same size, whatever is asked for.',
  };
  const isNotSent = tried.some(({ asked, got }) => asked === undefined && got !== undefined);
  const without = isNotSent
    ? ' per_page of 100, which exports ask for by default, is refused.'
    : '';
  return `${most}${odd === undefined ? '' : ` ${odds[odd]}`}${without}`;
}

function orderWords(order: SeenOrder): string {
  switch (order.kind) {
    case 'rising':
    case 'falling':
      return `By ${order.member}, ${order.kind}.`;
    case 'created':
      return `By the time of creation (${order.member}), ${order.direction}.`;
    case 'edited':
      return `By the time of the last edit (${order.member}), ${order.direction}.`;
    case 'unstable':
      return 'Two answers for the same page had their records in another order: name one in the query of the list, such as sort=id.';
    case 'unknown':
      return 'No id and no time shows it. Name an order in the query of the list, such as sort=id, and ask again; else the list has to be read twice (maxPasses 3).';
    case 'too-few':
      return 'Too few records to see one.';
  }
}

function idWords({ id }: ListProfile): string {
  switch (id.kind) {
    case 'found':
      return `${id.member} (${id.type === 'both' ? 'text and numbers' : id.type}${id.isByRule ? '' : ', by no usual name, so idKey has to name it'}), different on all records that came.`;
    case 'none':
      return 'No member tells all records apart, so that no export can be shown complete. If one does, give --id-key.';
    case 'no-records':
      return 'There is no record.';
  }
}

function limitWords({ headers, stated, throttles }: SeenLimits): string {
  const lines = [
    headers.length === 0
      ? 'No header speaks of a limit.'
      : headers.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    ...(stated.length === 0
      ? []
      : [`Stated, and kept from the first request on: ${stated.map(quotaWords).join(', ')}.`]),
    ...throttles.map(({ status, header, form, waitSeconds }) => {
      // The last one may be too long to be waited for.
      return header === undefined
        ? `Status ${status} without a wait: ${count(waitSeconds)} s are taken.`
        : `Status ${status} with ${header}${form === undefined ? '' : ` (${form})`}: ${count(waitSeconds)} s.`;
    }),
  ];
  return lines.join('\n');
}

function quotaWords({ requests, windowSeconds, isAtOnce, remaining = 0 }: StatedQuota): string {
  if (requests === undefined) return `${count(remaining)} requests left`;
  if (isAtOnce) return `${count(requests)} requests at the same time`;
  const window = windowSeconds === undefined ? 'a window' : `${count(windowSeconds)} s`;
  return `${count(requests)} requests in ${window}`;
}

/** More, and times in answers are measured wrongly by one of the two clocks. */
const NOTABLE_SECONDS = 5;

function clockWords(aheadSeconds: number): string {
  const seconds = Math.abs(aheadSeconds);
  if (seconds <= NOTABLE_SECONDS) return 'The same as here, within 5 s.';
  const side = aheadSeconds > 0 ? 'ahead of' : 'behind';
  return `The API's clock is ${count(seconds)} s ${side} ours. Waits count by the later of both.`;
}

function costWords({ cost, records }: ListProfile): string {
  const { bytes, elapsedMs } = cost;
  const each = `${bytesText(bytes)} and ${durationText(elapsedMs)} for ${count(cost.records)} records`;
  if (records === undefined || cost.records === 0) return `${each}.`;
  const pages = Math.ceil(records / cost.records);
  const all = `the whole list is ${counted(pages, 'such page')}, ${bytesText((bytes / cost.records) * records)}`;
  return pages <= 1 ? `${each}, the whole list.` : `${each}; ${all}.`;
}
