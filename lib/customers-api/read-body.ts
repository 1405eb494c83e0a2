import type { BodyBuffer, BodyBuffers } from './body-buffers.ts';
import type { HttpFailure } from './http-failure.ts';

export interface ReadLimits {
  /** Of the decompressed body. */
  readonly maxBytes: number;
  /** What becomes of a longer body: it fails, or only its beginning is read. */
  readonly beyond: 'fails' | 'is-left-out';
  readonly signal: AbortSignal;
}

/**
 * Reads a body until its end or the cap, whichever is first. It rejects when the body ends early or the
 * signal ends it.
 */
export async function readBody(
  body: ReadableStream<Uint8Array>,
  buffers: BodyBuffers,
  { maxBytes, beyond, signal }: ReadLimits,
): Promise<BodyBuffer | HttpFailure> {
  const reader = body.getReader();
  // The rest is neither read nor decompressed, and the connection is closed.
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  let buffer = buffers.take(0);
  const read = buffers.budget.begin(buffer.bytes.length);
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A body that was cancelled ends as if it were whole.
      signal.throwIfAborted();
      if (done) return buffers.body(buffer, length);
      const isTooLong = length + value.byteLength > maxBytes;
      if (isTooLong) cancel();
      if (isTooLong && beyond === 'fails') {
        buffer.release();
        return { kind: 'failure', reason: 'too-large', sent: true };
      }
      const newLength = Math.min(length + value.byteLength, maxBytes);
      if (newLength > buffer.bytes.length) {
        await read.grow(Math.max(newLength, buffer.bytes.length * 2), signal);
        buffer = grown(buffers, buffer, length, newLength);
      }
      buffer.bytes.set(value.subarray(0, newLength - length), length);
      length = newLength;
      if (isTooLong) return buffers.body(buffer, length);
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    read.end();
  }
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
