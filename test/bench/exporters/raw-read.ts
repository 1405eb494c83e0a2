// The least that there is to do: the pages are read by Node's own https, one after the other, and thrown away.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { readKey, readTask, tellUsage } from './task.ts';

const { baseUrl, perPage, pages = 0 } = readTask();
const agent = new Agent({ keepAlive: true });
const headers = { 'API-KEY': readKey(), Accept: 'application/json' };
for (let page = 1; page <= pages; page++) {
  const url = `${baseUrl}/2.0/customers?page=${page}&per_page=${perPage}`;
  const [answer]: IncomingMessage[] = await once(get(url, { agent, headers }), 'response');
  if (answer?.statusCode !== 200) throw new Error(`Page ${page} has status ${answer?.statusCode}.`);
  answer.resume();
  await once(answer, 'end');
}
tellUsage();
