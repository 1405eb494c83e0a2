// undici with its RetryAgent, which waits for `Retry-After`, each request for itself.
import { Agent, RetryAgent, request } from 'undici';
import type { CustomersPage } from '../page.ts';
import { readKey, readTask, tellUsage } from '../task.ts';
import { exportPages } from './ordered-pages.ts';

const task = readTask();
const { baseUrl, perPage, concurrency } = task;
const headers = { 'API-KEY': readKey(), Accept: 'application/json' };
const dispatcher = new RetryAgent(new Agent({ connections: concurrency }), {
  // Its defaults of 5 times and 30 s give up under a limit that throttles often or for a minute.
  maxRetries: 20,
  maxTimeout: 120_000,
  methods: ['GET'],
  statusCodes: [429],
});
await exportPages(task, async (page) => {
  const url = `${baseUrl}/2.0/customers?page=${page}&per_page=${perPage}`;
  const { statusCode, body } = await request(url, { headers, dispatcher });
  if (statusCode !== 200) throw new Error(`Page ${page} was answered ${statusCode}.`);
  const got: CustomersPage = JSON.parse(await body.text());
  return got;
});
await dispatcher.close();
tellUsage();
