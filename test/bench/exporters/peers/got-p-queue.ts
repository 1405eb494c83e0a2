// got behind p-queue, which is told the API's limits: a queue for each, as its documentation shows for APIs that
// count strictly. got's own retry waits for `Retry-After`.
import got from 'got';
import PQueue from 'p-queue';
import type { CustomersPage } from '../page.ts';
import { readKey, readTask, tellUsage } from '../task.ts';
import { exportPages } from './ordered-pages.ts';

const task = readTask();
const { baseUrl, perPage, toldLimits = [], concurrency } = task;
type Read = () => Promise<CustomersPage>;

const atATime = new PQueue({ concurrency });
const queues = toldLimits.map(
  ({ requests, perMs }) => new PQueue({ intervalCap: requests, interval: perMs, strict: true }),
);
const inTurn = (read: Read): Promise<CustomersPage> =>
  queues.reduce<Read>(
    (next, queue) => () => queue.add(next),
    () => atATime.add(read),
  )();

const api = got.extend({
  headers: { 'API-KEY': readKey(), Accept: 'application/json' },
  // Its default of 2 gives up under a limit that throttles often.
  retry: { limit: 20, methods: ['GET'], statusCodes: [429], maxRetryAfter: 120_000 },
});
await exportPages(task, (page) =>
  inTurn(() =>
    api(`${baseUrl}/2.0/customers`, {
      searchParams: { page, per_page: perPage },
    }).json<CustomersPage>(),
  ),
);
tellUsage();
