import type { Readable } from 'node:stream';
import type { HttpFailure } from './http-failure.ts';

/**
 * Reads a body until its end or the cap, whichever is first; the cap counts decompressed bytes. It rejects
 * when the body ends early or the signal ends it.
 */
export function readBody(
  body: Readable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | HttpFailure> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | HttpFailure>();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const end = () => body.destroy();
  signal.addEventListener('abort', end);
  body.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes <= maxBytes) chunks.push(chunk);
    else {
      resolve({ kind: 'failure', reason: 'too-large', sent: true });
      // The rest is neither read nor decompressed.
      end();
    }
  });
  body.on('end', () => {
    const [only] = chunks;
    resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes));
  });
  body.on('error', reject);
  body.on('close', () => {
    signal.removeEventListener('abort', end);
    // Without effect on one that was read to its end.
    reject(new Error('The body was not read to its end.'));
  });
  if (signal.aborted) end();
  return promise;
}
