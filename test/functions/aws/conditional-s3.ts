import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { listen } from './local-server.ts';

/** S3's PutObject with preconditions, and GetObject: the embedded engine ignores `If-Match`. */
export async function startConditionalS3() {
  const objects = new Map<string, { readonly body: Buffer; readonly etag: string }>();
  const state = { conflicts: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const key = String(request.url).split('?')[0] ?? '';
    const current = objects.get(key);
    if (request.method === 'GET') {
      if (current === undefined) return refuse(response, 404, 'NoSuchKey');
      response.setHeader('etag', current.etag);
      response.end(current.body);
      return;
    }
    if (state.conflicts > 0) {
      state.conflicts -= 1;
      return refuse(response, 409, 'ConditionalRequestConflict');
    }
    const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
    if (noneMatch === '*' && current) return refuse(response, 412, 'PreconditionFailed');
    if (match !== undefined && !current) return refuse(response, 404, 'NoSuchKey');
    if (match !== undefined && match !== current?.etag) {
      return refuse(response, 412, 'PreconditionFailed');
    }
    const body = Buffer.concat(chunks);
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    objects.set(key, { body, etag });
    response.setHeader('etag', etag);
    response.end();
  });
  return {
    ...(await listen(server)),
    /** The next writes are answered with 409. */
    conflictNext: (conflicts: number) => {
      state.conflicts = conflicts;
    },
  };
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
}
