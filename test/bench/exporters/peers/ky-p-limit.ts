// ky with p-limit, and one `Retry-After` for all: none is sent while any of them waits.
import { setTimeout as sleep } from 'node:timers/promises';
import ky from 'ky';
import pLimit from 'p-limit';
import type { CustomersPage } from '../page.ts';
import { readKey, readTask, tellUsage } from '../task.ts';
import { exportPages } from './ordered-pages.ts';

const task = readTask();
const { baseUrl, perPage, concurrency } = task;
const atATime = pLimit(concurrency);
let openAtMs = 0;
const api = ky.create({
  headers: { 'API-KEY': readKey(), Accept: 'application/json' },
  // Its default of 2 gives up under a limit that throttles often.
  retry: { limit: 20, methods: ['get'], statusCodes: [429], afterStatusCodes: [429] },
  fetch: async (input, init) => {
    while (Date.now() < openAtMs) await sleep(openAtMs - Date.now());
    const response = await fetch(input, init);
    if (response.status === 429) {
      const waitMs = Number(response.headers.get('Retry-After')) * 1000;
      openAtMs = Math.max(openAtMs, Date.now() + waitMs);
    }
    return response;
  },
});
await exportPages(task, (page) =>
  atATime(() =>
    api(`${baseUrl}/2.0/customers`, {
      searchParams: { page, per_page: perPage },
    }).json<CustomersPage>(),
  ),
);
tellUsage();
