import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BodyBuffers } from '../../../lib/customers-api/body-buffers.ts';
import { readBody } from '../../../lib/customers-api/read-body.ts';

const never = new AbortController().signal;

function bodyOf(...chunks: (string | Uint8Array)[]): PassThrough {
  const body = new PassThrough();
  for (const chunk of chunks) body.write(chunk);
  return body;
}

function read(body: PassThrough, maxBytes: number, signal = never, buffers = new BodyBuffers()) {
  return readBody(body, buffers, { maxBytes, signal });
}

async function bytesOf(...args: Parameters<typeof read>): Promise<Uint8Array> {
  const body = await read(...args);
  if ('kind' in body) throw new Error(body.reason);
  return body.bytes;
}

test.each([[[]], [['{}']], [['{"a"', ':', '1}']]])('joins the chunks %j', async (chunks) => {
  const body = bodyOf(...chunks);
  body.end();

  expect(Buffer.from(await bytesOf(body, 100)).toString()).toBe(chunks.join(''));
});

test('joins chunks of any size into memory that held other bodies', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (before, after) => {
      const buffers = new BodyBuffers();
      for (const [fill, some] of [before, after].entries()) {
        const chunks = some.map((size, index) => Buffer.alloc(size, fill * 10 + index));
        const body = bodyOf(...chunks);
        body.end();
        const answer = await read(body, 10_000_000, never, buffers);
        if ('kind' in answer) throw new Error(answer.reason);
        expect(Buffer.concat(chunks).equals(answer.bytes)).toBe(true);
        answer.release();
      }
    }),
    { numRuns: 50 },
  );
});

test('takes a body of exactly the cap, and reads nothing on behind it', async () => {
  const whole = bodyOf('12', '34');
  whole.end();
  expect(await bytesOf(whole, 4)).toHaveLength(4);

  const endless = bodyOf('12', '345');
  expect(await read(endless, 4)).toEqual({
    kind: 'failure',
    reason: 'too-large',
    sent: true,
  });
  expect(endless.destroyed).toBe(true);
});

test('fails when the body fails or is closed before its end', async () => {
  const failing = bodyOf('12');
  const failed = read(failing, 4);
  failing.destroy(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
  await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET' });

  const closing = bodyOf('12');
  const closed = read(closing, 4);
  closing.destroy();
  await expect(closed).rejects.toThrow('not read to its end');
});

test('closes the body when the signal ends it, before or while it comes', async () => {
  const controller = new AbortController();
  const during = bodyOf('12');
  const ended = read(during, 4, controller.signal);
  controller.abort();
  await expect(ended).rejects.toThrow();
  expect(during.destroyed).toBe(true);

  const before = bodyOf('12');
  await expect(read(before, 4, controller.signal)).rejects.toThrow();
  expect(before.destroyed).toBe(true);
});
