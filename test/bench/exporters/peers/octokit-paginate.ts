// Octokit's core with its plugins for pagination, throttling and retries, adapted to this API at three
// places that its documentation names: the next page as a `Link` header, a throttle in GitHub's words so
// that the throttling plugin waits for `Retry-After`, and the retry plugin left to other failures.
import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { createNdjsonFile } from '../ndjson-file.ts';
import type { CustomersPage } from '../page.ts';
import { readKey, readTask, tellUsage } from '../task.ts';

declare global {
  interface JSON {
    /** Node has it, TypeScript 7 does not name it yet (tc39/proposal-json-parse-with-source). */
    rawJSON(text: string): object;
  }
}

const { baseUrl, perPage, out } = readTask();
const file = createNdjsonFile(out, { textOf: withBigIntegers });
const ROUTE = 'GET /2.0/customers';

const octokit = new (Octokit.plugin(paginateRest, retry, throttling))({
  baseUrl,
  throttle: { onRateLimit: () => true, onSecondaryRateLimit: () => true },
  retry: { doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451] },
  request: { fetch: withGitHubsWords },
  // It logs a line for every wait.
  log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
});
octokit.hook.after('request', (response) => {
  const { meta } = pageOf(response.data);
  if (meta.next_page === null) return;
  const next = `${baseUrl}/2.0/customers?page=${meta.next_page}&per_page=${perPage}`;
  response.headers.link = `<${next}>; rel="next"`;
});

const headers = { 'API-KEY': readKey(), accept: 'application/json' };
const pages = octokit.paginate.iterator(ROUTE, { headers, page: 1, per_page: perPage });
for await (const { data } of pages) await file.write(pageOf(data).customers);
await file.end();
tellUsage();

async function withGitHubsWords(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(input, init);
  if (response.status !== 429) return response;
  await response.body?.cancel();
  const { status, headers: given } = response;
  const words = new Headers(given);
  words.delete('content-length');
  const body = JSON.stringify({ message: 'You have exceeded a secondary rate limit' });
  return new Response(body, { status, headers: words });
}

function pageOf(data: unknown): CustomersPage {
  const isPage = (value: unknown): value is CustomersPage =>
    typeof value === 'object' && value !== null && 'customers' in value;
  if (isPage(data)) return data;
  throw new Error('Octokit gave something else than a page.');
}

/** Octokit reads integers above 2^53 as BigInt. */
function withBigIntegers(record: unknown): string {
  return JSON.stringify(record, (_, value) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  );
}

function ignore(): void {}
