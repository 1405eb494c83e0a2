// The fetch of the package undici, which speaks HTTP/2 too; Node's own one speaks HTTP/1.1 alone.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { readPages, readTask } from '../read-pages.ts';

const AGENTS = {
  'http/1.1': { allowH2: false },
  'http/2': { allowH2: true },
  /** One connection with room for all that is under way, as `read-by-http2.ts` has it. */
  'http/2 wide': {
    allowH2: true,
    connections: 1,
    h2Options: {
      maxConcurrentStreams: 128,
      connectionWindowSize: 64 * 1024 * 1024,
      settings: { initialWindowSize: 1024 * 1024 },
    },
  },
} as const;

const task = readTask();
const dispatcher = new Agent(AGENTS[task.protocol]);
await readPages(task, async (url) => {
  const answer = await fetch(url, { dispatcher });
  await answer.arrayBuffer();
  // As our client does: undici takes the connection back in the next turn.
  await nextTurn();
  return {
    connections: answer.headers.get('connections'),
    httpVersion: answer.headers.get('http-version'),
  };
});
