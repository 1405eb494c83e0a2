import type { Examined } from '../../../lib/doctor/doctor-settings.ts';
import type { NotLearned } from '../../../lib/doctor/not-learned.ts';
import type { Profile } from '../../../lib/doctor/profile.ts';
import { count, counted } from '../../command-line/words.ts';

/** How many requests it took, and why it ended where it did. */
export function endingWords(profile: Profile, examined: Examined): string {
  const { requests, waitedSeconds, ending } = profile;
  const asked = `${counted(requests, 'request')}, waited ${count(waitedSeconds)} s as the API asked.`;
  if (ending === 'all-asked') return asked;
  return `${asked}\n${whyEnded(profile, examined)}`;
}

function whyEnded({ ending, problem, waitSeconds, list }: Profile, examined: Examined): string {
  const status = problem?.status;
  switch (ending) {
    case 'authentication-failure':
      return `The API did not accept the key (status ${status}), so it was not sent again. Check CUSTOMERS_API_KEY, and the name of the header that carries it: --header, now ${examined.header ?? 'API-KEY'}.`;
    case 'wait-too-long':
      return `The API wants no request for ${count(waitSeconds ?? 0)} s, which is longer than --max-wait. No request was made before that. Ask again then, or with a longer --max-wait.`;
    case 'reads-used-up':
      return 'Ten requests are the most that are made. Ask again when the API throttles less.';
    case 'unavailable':
      return `${messageOf(problem)} Asked for was ${addressOf(examined)}.`;
    default:
      return `${messageOf(problem)}${list === undefined && status === 404 ? `\n${notFoundWords(examined)}` : ''}`;
  }
}

function messageOf(problem: Profile['problem']): string {
  return problem !== undefined && 'message' in problem
    ? problem.message
    : 'The answer was no page.';
}

/** Which parts of the address somebody has chosen, and where. */
function notFoundWords(examined: Examined): string {
  const { pathname, host } = new URL(examined.baseUrl);
  const path = pathname.replace(/\/+$/, '');
  const base = path === '' ? 'It has no path: some APIs need one' : `Its path is ${path}`;
  return `Nothing is at ${addressOf(examined)}. Look at its parts: the host ${host} and what follows it are from --base-url. ${base}. /2.0/ is added by itself, so it must not be in --base-url. ${examined.resource} is from --resource.`;
}

function addressOf({ baseUrl, resource }: Examined): string {
  return `${baseUrl.replace(/\/+$/, '')}/2.0/${resource}`;
}

export function notLearnedWords({ what, why }: NotLearned): string {
  return `${WHAT[what]}: ${WHY[why]}.`;
}

const WHAT: Readonly<Record<NotLearned['what'], string>> = {
  'first-page': 'The number of the first page (1 is taken)',
  end: 'What comes at the end of the list',
  'largest-page': 'The largest page',
  'odd-sizes': 'Whether any size of a page is taken',
  order: 'The order of the list',
  id: 'The member that tells records apart',
  throttle: 'How a throttle looks',
  clock: 'The clock of the API',
  list: 'Everything about the list',
};

const WHY: Readonly<Record<NotLearned['why'], string>> = {
  'authentication-failure': 'the key was not accepted',
  refused: 'the API refused to answer',
  unavailable: 'no whole answer came',
  'wait-too-long': 'the API asked for a longer wait',
  'reads-used-up': 'the ten requests were used up',
  'list-is-empty': 'the list is empty',
  'list-is-short': 'the list is too short to show it',
  'page-is-ignored': 'every page has the same records',
  'list-is-endless': 'page 100,000 from the first one still has records',
  'nothing-shows-it': 'nothing in the answers shows it',
  'not-throttled': 'no read was throttled, and it provokes none',
  'no-date': 'the answers have no usable Date header',
};
