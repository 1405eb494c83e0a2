// got's own pagination, as its documentation shows it. Its retry waits for `Retry-After`.
import got from 'got';
import { createNdjsonFile } from '../ndjson-file.ts';
import type { CustomersPage } from '../page.ts';
import { readKey, readTask, tellUsage } from '../task.ts';

const { baseUrl, perPage, out } = readTask();
const file = createNdjsonFile(out);
let page: unknown[] = [];
const customers = got.paginate<unknown, CustomersPage>(`${baseUrl}/2.0/customers`, {
  headers: { 'API-KEY': readKey(), Accept: 'application/json' },
  responseType: 'json',
  searchParams: { page: 1, per_page: perPage },
  // Its default of 2 gives up under a limit that throttles often.
  retry: { limit: 20, methods: ['GET'], statusCodes: [429], maxRetryAfter: 120_000 },
  pagination: {
    // Without these two it waits between pages and keeps all records in memory.
    backoff: 0,
    stackAllItems: false,
    transform: ({ body }) => [...body.customers],
    paginate: ({ response }) => {
      const next = response.body.meta.next_page;
      return next === null ? false : { searchParams: { page: next, per_page: perPage } };
    },
  },
});
for await (const customer of customers) {
  page.push(customer);
  if (page.length < perPage) continue;
  await file.write(page);
  page = [];
}
await file.write(page);
await file.end();
tellUsage();
