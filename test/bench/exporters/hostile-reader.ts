// Meets one hostile answer, in one of the ways in which a function meets it, and tells what that cost.
import { writeFileSync } from 'node:fs';
import * as v from 'valibot';
import { pageAnswer } from '../../../functions/http/page-answer.ts';
import { type CustomersClient, createCustomersClient } from '../../../lib/customers-api/client.ts';
import { openWalk } from '../../../lib/customers-api/walks/open-walk.ts';
import { PartWriter } from '../../../lib/exports/part.ts';
import { takePage } from '../../../lib/exports/take-page.ts';
import { type CheckSurroundings, runCheck } from '../../../lib/writes/run-check.ts';
import { begun } from '../../lib/exports/state-of.ts';
import { peakMemoryBytes, readKey } from './task.ts';

const TaskSchema = v.object({
  baseUrl: v.string(),
  way: v.picklist(['export', 'records', 'live read', 'read check', 'list check', 'write']),
});

const MICROS_PER_MS = 1000;
const { baseUrl, way } = v.parse(TaskSchema, JSON.parse(process.argv[2] ?? ''));
const signal = new AbortController().signal;
const match = { name: 'Jane {writeId}' };
const values = { writeId: 'w1', params: {} };

const WAYS: Readonly<Record<typeof way, (client: CustomersClient) => Promise<unknown>>> = {
  export: async (client) => {
    const page = await client.listPage(1);
    if (page.kind !== 'page') return page;
    const part = new PartWriter(1, 'gzip');
    const start = begun({ connection: 'c', exportId: 'e', sinceMs: 0 });
    const walker = openWalk(start.walk);
    const taken = walker.take(page);
    await part.append(page);
    await part.finish();
    const { records, bytes } = part;
    return { ...takePage(start, page, walker.state, { records, bytes }), taken };
  },
  records: async (client) => {
    let records = 0;
    try {
      for await (const _ of client.customers()) records++;
    } catch (error) {
      return { records, error: String(error) };
    }
    return { records };
  },
  'live read': async (client) => {
    const page = await client.listPage(1);
    if (page.kind !== 'page') return page;
    const answer = pageAnswer(page, 'customers');
    return 'body' in answer ? { bodyLength: answer.body.length } : answer;
  },
  'read check': async (client) => {
    const check = { kind: 'read', resource: 'customers/1', match } as const;
    return runCheck(check, values, surroundings(client));
  },
  'list check': async (client) => {
    const check = { kind: 'list', resource: 'customers', match, maxPages: 2 } as const;
    return runCheck(check, values, surroundings(client));
  },
  write: async (client) => {
    const request = { method: 'POST', resource: 'customers', body: { name: 'Jane' } } as const;
    const outcome = await client.write(request);
    return outcome.kind === 'done' ? { kind: 'done' } : outcome;
  },
};

function surroundings(client: CustomersClient): CheckSurroundings {
  return {
    client: {
      read: (request) => client.read(request),
      listPage: ({ resource = 'customers', page, query }) =>
        client.list(resource, query).listPage(page),
    },
    firstPage: 1,
    signal,
    whyNotAgain: async () => undefined,
  };
}

const good = createCustomersClient({ baseUrl, key: readKey() });
await WAYS[way](good);
await WAYS[way](good);

const idleBytes = process.memoryUsage.rss();
// From here on the highest use counts (proc(5), clear_refs).
writeFileSync('/proc/self/clear_refs', '5');
const before = process.cpuUsage();
const kept = await WAYS[way](
  createCustomersClient({ baseUrl: `${baseUrl}/hostile`, key: readKey() }),
);
const { user, system } = process.cpuUsage(before);
const text = JSON.stringify(kept);
process.stdout.write(
  JSON.stringify({
    cpuMs: (user + system) / MICROS_PER_MS,
    idleBytes,
    peakBytes: peakMemoryBytes(),
    keptBytes: Buffer.byteLength(text),
    kept: text.slice(0, 200),
  }),
);
