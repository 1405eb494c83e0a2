// Answers each request with the same page of customers, over HTTP/1.1 or HTTP/2 as the client chooses by ALPN.
// `node page-server.ts LATENCY_MS CA_FILE`; it prints its address as startApi reads it, and ends by SIGTERM.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { Server } from 'node:net';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import { customerSource } from '../../../infra/simulator/customers.ts';
import { startLine } from './line.ts';

const PER_PAGE = 100;
/** As nginx and AWS' load balancers have it. */
const MAX_CONCURRENT_STREAMS = 128;

const [latencyMs = '0', ca = ''] = process.argv.slice(2);
const { caPem, certificatePem, privateKeyPem } = await createCertificates(Date.now());
writeFileSync(ca, caPem);

const { textOf } = customerSource(1, 0);
const customers = Array.from({ length: PER_PAGE }, (_, sequence) => textOf(sequence, 1));
const body = Buffer.from(`{"customers":[${customers.join()}],"meta":{"total_pages":1}}`);
/** The connections of each run, by the first part of its paths. */
const connectionsOfRuns = new Map<string, Set<unknown>>();

const server = createSecureServer(
  {
    key: privateKeyPem,
    cert: certificatePem,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
  },
  (request, response) => {
    request.resume();
    const run = /^\/[\w-]+/.exec(request.url)?.[0] ?? '';
    const connections = connectionsOfRuns.get(run) ?? new Set<unknown>();
    connectionsOfRuns.set(run, connections);
    connections.add(request.socket.remotePort);
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'Http-Version': request.httpVersion,
      Connections: connections.size,
    });
    response.end(body);
  },
);
const port = await listening(server);
const line = latencyMs === '0' ? undefined : startLine(port, Number(latencyMs));
const reached = line === undefined ? port : await listening(line);
process.stdout.write(`${JSON.stringify({ url: `https://localhost:${reached}`, ca })}\n`);

async function listening(tcp: Server): Promise<number> {
  if (!tcp.listening) {
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
  }
  const address = tcp.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('The server listens at no port.');
}
