import type { Read } from '../exporters/read-pages.ts';

/** A way to read pages. */
export interface Reader {
  readonly title: string;
  /** File in `test/bench/exporters`. */
  readonly script: string;
  readonly protocol?: Read['protocol'];
  /** What the server must see. */
  readonly httpVersion: '1.1' | '2.0';
}

const UNDICI = { script: 'peers/undici-fetch' } as const;

export const READERS: readonly Reader[] = [
  { title: "HTTP/1.1, Node's fetch (ours)", script: 'read-by-fetch', httpVersion: '1.1' },
  { ...UNDICI, title: 'HTTP/1.1, fetch of undici', protocol: 'http/1.1', httpVersion: '1.1' },
  { ...UNDICI, title: 'HTTP/2, fetch of undici', protocol: 'http/2', httpVersion: '2.0' },
  {
    ...UNDICI,
    title: 'HTTP/2, the same with wide windows',
    protocol: 'http/2 wide',
    httpVersion: '2.0',
  },
  { title: 'HTTP/1.1, node:https alone', script: 'read-by-https', httpVersion: '1.1' },
  { title: 'HTTP/2, node:http2 alone', script: 'read-by-http2', httpVersion: '2.0' },
];
