// The floor: the pages' bytes as they come, neither looked at nor stored. It is told how many there are.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { CustomersPage } from '../page.ts';
import { readKey, readTask, tellUsage } from '../task.ts';

const { baseUrl, perPage, concurrency } = readTask();
const dispatcher = new Agent({ connections: concurrency });
const headers = { 'API-KEY': readKey(), Accept: 'application/json' };
let blockedUntilMs = 0;

const first: CustomersPage = JSON.parse(Buffer.from(await read(1)).toString());
let nextPage = 2;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (nextPage <= first.meta.total_pages) await read(nextPage++);
  }),
);
await dispatcher.close();
tellUsage();

async function read(page: number): Promise<ArrayBuffer> {
  for (;;) {
    const waitMs = blockedUntilMs - Date.now();
    if (waitMs > 0) await sleep(waitMs);
    const url = `${baseUrl}/2.0/customers?page=${page}&per_page=${perPage}`;
    const { statusCode, headers: got, body } = await request(url, { headers, dispatcher });
    const bytes = await body.arrayBuffer();
    if (statusCode === 200) return bytes;
    blockedUntilMs = Date.now() + Number(got['retry-after']) * 1000;
  }
}
