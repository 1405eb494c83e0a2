import type { CustomersClientOptions } from '../../../lib/customers-api/settings.ts';
import { settingsOf } from '../../../lib/customers-api/settings.ts';
import { examine } from '../../../lib/doctor/examine.ts';
import type { Profile } from '../../../lib/doctor/profile.ts';
import { createReader } from '../../../lib/doctor/reader.ts';
import type { ListAnswer, ListQuestion } from './model-list.ts';

export const KEY = 'cAnArY-7f3d9e21/b64+form="x"';

/** Of it, what stays the same in JSON. */
export const KEY_PART = 'cAnArY-7f3d9e21';

export interface Examination {
  readonly profile: Profile;
  readonly requests: readonly { readonly atMs: number; readonly question: ListQuestion }[];
}

type Answer = (question: ListQuestion, before: number) => ListAnswer | Error;

/** Examines an API that is a function, in time of its own. */
export async function examineModel(
  answer: Answer,
  {
    maxWaitSeconds = 120,
    options = {},
    resource = 'customers',
  }: {
    readonly maxWaitSeconds?: number;
    readonly options?: Partial<CustomersClientOptions>;
    readonly resource?: string;
  } = {},
): Promise<Examination> {
  let nowMs = 1_700_000_000_000;
  const requests: { atMs: number; question: ListQuestion }[] = [];
  const ask: typeof fetch = async (input) => {
    const { searchParams } = new URL(String(input));
    const question = {
      page: numberIn(searchParams, 'page'),
      perPage: numberIn(searchParams, 'per_page'),
    };
    requests.push({ atMs: nowMs, question });
    nowMs += 40;
    const answered = answer(question, requests.length - 1);
    if (answered instanceof Error) throw answered;
    const { status, body, headers = {} } = answered;
    return new Response(body, {
      status,
      headers: {
        'content-type': 'application/json',
        date: new Date(nowMs).toUTCString(),
        ...headers,
      },
    });
  };
  const settings = settingsOf({
    baseUrl: 'https://api.example.com',
    key: KEY,
    fetch: ask,
    now: () => nowMs,
    random: () => 0.5,
    ...options,
  });
  const profile = await examine(createReader(settings, { resource, query: {} }), {
    maxWaitSeconds,
    sleep: async (seconds) => {
      nowMs += seconds * 1000;
    },
  });
  return { profile, requests };
}

function numberIn(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  return text === null ? undefined : Number(text);
}
