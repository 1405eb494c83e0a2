// The least over HTTP/1.1: node:https with kept connections, no fetch on top.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { readPages, readTask } from './read-pages.ts';

const agent = new Agent({ keepAlive: true });
await readPages(readTask(), async (url) => {
  const [answer]: IncomingMessage[] = await once(get(url, { agent }), 'response');
  if (answer === undefined) throw new Error('There was no answer.');
  answer.resume();
  await once(answer, 'end');
  const { connections, 'http-version': httpVersion } = answer.headers;
  return { connections, httpVersion };
});
