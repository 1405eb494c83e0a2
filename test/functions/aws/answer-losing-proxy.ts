import { createServer, request as httpRequest } from 'node:http';
import { listen } from './local-server.ts';

/**
 * Hands requests on to a server and cuts the connection in place of the answer as long as `losses` are
 * left: the call took place, and its caller does not know.
 */
export async function startAnswerLosingProxy(target: string) {
  const state = { losses: 0 };
  const { hostname, port } = new URL(target);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const { method, url: path, headers } = request;
    const onward = httpRequest({ hostname, port, method, path, headers }, (answer) => {
      const body: Buffer[] = [];
      answer.on('data', (chunk) => body.push(chunk));
      answer.on('end', () => {
        if (state.losses > 0) {
          state.losses -= 1;
          request.socket.destroy();
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        response.end(Buffer.concat(body));
      });
    });
    // The engine hung up: to the caller one more answer that was lost.
    onward.on('error', () => request.socket.destroy());
    onward.end(Buffer.concat(chunks));
  });
  return {
    ...(await listen(server)),
    /** The answers of the next calls are lost, one by default. */
    loseNext: (losses = 1) => {
      state.losses = losses;
    },
  };
}
