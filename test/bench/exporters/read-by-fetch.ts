// Node's own fetch, which our client uses: HTTP/1.1, with as many connections as requests at the same time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readPages, readTask } from './read-pages.ts';

await readPages(readTask(), async (url) => {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  // As our client does: undici takes the connection back in the next turn.
  await nextTurn();
  return {
    connections: answer.headers.get('connections'),
    httpVersion: answer.headers.get('http-version'),
  };
});
