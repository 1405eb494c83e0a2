import type { Readable } from 'node:stream';
import type { BodyBuffer, BodyBuffers } from './body-buffers.ts';
import type { HttpFailure } from './http-failure.ts';

export interface ReadLimits {
  /** Of the decompressed body. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a body until its end or the cap, whichever is first. It rejects when the body ends early or the
 * signal ends it.
 */
export function readBody(
  body: Readable,
  buffers: BodyBuffers,
  { maxBytes, signal }: ReadLimits,
): Promise<BodyBuffer | HttpFailure> {
  const { promise, resolve, reject } = Promise.withResolvers<BodyBuffer | HttpFailure>();
  let buffer = buffers.take(0);
  let length = 0;
  const end = () => body.destroy();
  signal.addEventListener('abort', end);
  body.on('data', (chunk: Uint8Array) => {
    const newLength = length + chunk.byteLength;
    if (newLength > maxBytes) {
      resolve({ kind: 'failure', reason: 'too-large', sent: true });
      // The rest is neither read nor decompressed.
      end();
      return;
    }
    if (newLength > buffer.bytes.length) buffer = grown(buffers, buffer, length, newLength);
    buffer.bytes.set(chunk, length);
    length = newLength;
  });
  body.on('end', () => resolve(buffers.body(buffer, length)));
  body.on('error', reject);
  body.on('close', () => {
    signal.removeEventListener('abort', end);
    // Without effect on one that was read to its end.
    reject(new Error('The body was not read to its end.'));
  });
  if (signal.aborted) end();
  return promise;
}

/** Twice as long, so that a long body is copied few times. */
function grown(
  buffers: BodyBuffers,
  full: BodyBuffer,
  length: number,
  newLength: number,
): BodyBuffer {
  const larger = buffers.take(Math.max(newLength, full.bytes.length * 2));
  larger.bytes.set(full.bytes.subarray(0, length));
  full.release();
  return larger;
}
