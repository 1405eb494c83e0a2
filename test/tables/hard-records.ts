import { once } from 'node:events';
import { createServer } from 'node:https';
import { createCertificates } from '../../infra/simulator/certificate.ts';

/** Records that a reader of lines, columns or numbers could change: each is the compact JSON text. */
export const HARD_RECORDS: readonly string[] = [
  '{"id":1,"id":2,"name":"twice","name":"twice again"}',
  '{"id":9007199254740993,"big":123456789012345678901234567890,"small":0.1000000000000000055511151231257827}',
  '{"id":3,"exponent":1e400,"negative":-0,"zero":0.0,"trailing":2.50}',
  '{"id":4,"escapes":"\\u0001 \\u0000 \\n \\r \\r\\n \\t \\" \\\\ \\/ \\u2028"}',
  '{"id":5,"quotes":"it\'s \\"quoted\\", comma; \\\\N \\\\001","text":"\\\\N"}',
  '{"id":6,"raw":"\u2028\u2029\u0085\u007f\u00a0","emoji":"👩‍👩‍👧‍👦","escaped":"\\ud83d\\ude80","lone":"\\ud800"}',
  '{"id":7,"nested":{"list":[1,2.50,[],{}],"deep":{"deeper":{"city":"São Paulo"}}},"":"empty name"}',
  `{"id":8,"long":"${'x'.repeat(3_000_000)}"}`,
  '{}',
  '{"id":"0010","text":"a number in quotes"}',
  '{"id":null,"__proto__":{"admin":true},"constructor":"x"}',
];

export interface HardApi {
  readonly url: string;
  readonly caPem: string;
  close(): Promise<void>;
}

/** An API whose one page has these records, with white space between them. */
export async function startHardApi(): Promise<HardApi> {
  const { caPem, certificatePem, privateKeyPem } = await createCertificates(Date.now());
  const server = createServer({ key: privateKeyPem, cert: certificatePem }, (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'https://localhost');
    const isFirst = searchParams.get('page') === '1';
    const records = isFirst ? HARD_RECORDS : [];
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(
      `{\n "customers": [\n ${records.join(' ,\r\n\t')}\n ],\n "meta": {"total_pages": 1, "total_count": ${HARD_RECORDS.length}}}`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `https://localhost:${port}`,
    caPem,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
