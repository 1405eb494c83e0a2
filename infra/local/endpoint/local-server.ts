import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';

/** Has a server listen at 127.0.0.1. @param port 0 for any free one. */
export async function listenHere(server: Server, port: number) {
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    /** `http://127.0.0.1:PORT` */
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`,
    /** Stops listening and ends every open connection. */
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Whether a request is meant for this server and comes from no web page. A page elsewhere can make a
 * browser send requests here, also under a name of its own that leads here (DNS rebinding). Then `Host` is
 * not ours, or the browser says that a page asks: `Origin` (RFC 6454 section 7), `Sec-Fetch-Site` (W3C
 * Fetch Metadata). No page is served here, so a page that asks is always foreign.
 */
export function isFromHere({ headers, socket }: IncomingMessage): boolean {
  const own = [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`];
  return (
    own.includes(headers.host?.toLowerCase() ?? '') &&
    headers.origin === undefined &&
    (headers['sec-fetch-site'] ?? 'none') === 'none'
  );
}
