import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import type { HostileShape } from './shapes.ts';

export interface HostileApi {
  readonly url: string;
  /** File with the certificate of its authority. */
  readonly ca: string;
  /** What it answers from now on. @returns The size of the body before it is compressed. */
  readonly serve: (shape: HostileShape) => number;
  readonly stop: () => void;
}

const GOOD_PAGE = '{"customers":[{"id":1}],"meta":{"total":1,"total_pages":1}}';
const LAST_PAGE = '{"customers":[]}';

/** An API that answers below `/hostile` with one shape, and elsewhere as it should. */
export async function startHostileApi(folder: string): Promise<HostileApi> {
  const { caPem, certificatePem, privateKeyPem } = await createCertificates(Date.now());
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, caPem);
  let answer: HostileShape | undefined;
  let body: Buffer = Buffer.alloc(0);
  const server = createServer({ key: privateKeyPem, cert: certificatePem }, (request, response) => {
    request.resume();
    response.on('error', () => {});
    const json = { 'Content-Type': 'application/json' };
    const page = new URL(request.url ?? '/', 'https://api').searchParams.get('page') ?? '1';
    if (request.url?.startsWith('/hostile') !== true) {
      response.writeHead(200, json).end(GOOD_PAGE);
    } else if (page !== '1') response.writeHead(200, json).end(LAST_PAGE);
    else {
      const headers = { ...json, 'Content-Length': body.length, ...answer?.headers };
      response.writeHead(answer?.status ?? 200, headers).end(body);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `https://127.0.0.1:${port}`,
    ca,
    serve: (shape) => {
      const plain = shape.body();
      body = shape.encode?.(plain) ?? plain;
      answer = shape;
      return plain.length;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
