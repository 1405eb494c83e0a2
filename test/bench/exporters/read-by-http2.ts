// The least over HTTP/2: one session of node:http2, no fetch on top. Its windows have room for what is under way: with
// those by default (65,535 bytes, RFC 9113 section 6.9.2) a long round trip holds up the pages.
import { once } from 'node:events';
import { connect } from 'node:http2';
import { readPages, readTask } from './read-pages.ts';

const STREAM_WINDOW_BYTES = 1024 * 1024;
const SESSION_WINDOW_BYTES = 64 * STREAM_WINDOW_BYTES;

const task = readTask();
const session = connect(new URL(task.url).origin, {
  settings: { initialWindowSize: STREAM_WINDOW_BYTES },
});
session.once('connect', () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
await readPages(task, async (url) => {
  const stream = session.request({ ':path': new URL(url).pathname });
  const [head] = await once(stream, 'response');
  stream.resume();
  await once(stream, 'end');
  return { connections: head.connections, httpVersion: head['http-version'] };
});
