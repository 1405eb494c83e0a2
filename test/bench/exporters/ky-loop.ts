// The loop that one would write with ky: it waits for `Retry-After` by itself, for a GET and a 429.
import ky from 'ky';
import { createNdjsonFile } from './ndjson-file.ts';
import type { CustomersPage } from './page.ts';
import { readKey, readTask, tellUsage } from './task.ts';

const { baseUrl, perPage, out, gzipLevel } = readTask();
const file = createNdjsonFile(out, { gzipLevel });
const api = ky.create({
  headers: { 'API-KEY': readKey(), Accept: 'application/json' },
  // Its default of 2 gives up under a limit that throttles often.
  retry: { limit: 20, methods: ['get'], statusCodes: [429], afterStatusCodes: [429] },
});
let next: number | null = 1;
while (next !== null) {
  const searchParams: Record<string, number> = { page: next, per_page: perPage };
  const request = api(`${baseUrl}/2.0/customers`, { searchParams });
  const { customers, meta } = await request.json<CustomersPage>();
  await file.write(customers);
  next = meta.next_page;
}
await file.end();
tellUsage();
