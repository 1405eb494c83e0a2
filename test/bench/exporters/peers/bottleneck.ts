// ky behind Bottleneck, which is told the API's limits: `minTime` spreads the requests of a short one, a reservoir
// lets those of a long one go at once. What is throttled is sent again by its `failed` event after `Retry-After`.
import Bottleneck from 'bottleneck';
import ky, { HTTPError } from 'ky';
import type { CustomersPage } from '../page.ts';
import { readKey, readTask, type Task, tellUsage } from '../task.ts';
import { exportPages } from './ordered-pages.ts';

/** Of an interval that is better spread: its reservoir is filled by a timer that knows no request. */
const SHORT_MS = 5000;
const MAX_RETRIES = 20;

const task = readTask();
const { baseUrl, perPage, toldLimits = [], concurrency } = task;
const limiter = new Bottleneck({ maxConcurrent: concurrency });
limiter.on('failed', async (error, { retryCount }) => {
  const isThrottle = error instanceof HTTPError && error.response.status === 429;
  if (!isThrottle || retryCount >= MAX_RETRIES) return undefined;
  return Number(error.response.headers.get('Retry-After')) * 1000;
});
const chain = [limiter, ...toldLimits.map((told) => new Bottleneck(settingsOf(told)))];
chain.forEach((each, index) => {
  const next = chain[index + 1];
  if (next !== undefined) each.chain(next);
});

const api = ky.create({
  headers: { 'API-KEY': readKey(), Accept: 'application/json' },
  retry: 0,
});
await exportPages(task, (page) =>
  limiter.schedule(() =>
    api(`${baseUrl}/2.0/customers`, {
      searchParams: { page, per_page: perPage },
    }).json<CustomersPage>(),
  ),
);
// The timers of its reservoirs would keep the process alive.
for (const each of chain) await each.disconnect();
tellUsage();

function settingsOf({ requests, perMs }: NonNullable<Task['toldLimits']>[number]) {
  return perMs < SHORT_MS
    ? { minTime: perMs / requests }
    : {
        reservoir: requests,
        reservoirRefreshAmount: requests,
        reservoirRefreshInterval: perMs,
      };
}
