import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { readBody } from '../../../lib/customers-api/read-body.ts';

const never = new AbortController().signal;

function bodyOf(...chunks: string[]): PassThrough {
  const body = new PassThrough();
  for (const chunk of chunks) body.write(chunk);
  return body;
}

test.each([[[]], [['{}']], [['{"a"', ':', '1}']]])('joins the chunks %j', async (chunks) => {
  const body = bodyOf(...chunks);
  body.end();

  const bytes = await readBody(body, 100, never);

  expect(bytes instanceof Uint8Array && Buffer.from(bytes).toString()).toBe(chunks.join(''));
});

test('takes a body of exactly the cap, and reads nothing on behind it', async () => {
  const whole = bodyOf('12', '34');
  whole.end();
  expect(await readBody(whole, 4, never)).toHaveLength(4);

  const endless = bodyOf('12', '345');
  expect(await readBody(endless, 4, never)).toEqual({
    kind: 'failure',
    reason: 'too-large',
    sent: true,
  });
  expect(endless.destroyed).toBe(true);
});

test('fails when the body fails or is closed before its end', async () => {
  const failing = bodyOf('12');
  const failed = readBody(failing, 4, never);
  failing.destroy(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
  await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET' });

  const closing = bodyOf('12');
  const closed = readBody(closing, 4, never);
  closing.destroy();
  await expect(closed).rejects.toThrow('not read to its end');
});

test('closes the body when the signal ends it, before or while it comes', async () => {
  const controller = new AbortController();
  const during = bodyOf('12');
  const ended = readBody(during, 4, controller.signal);
  controller.abort();
  await expect(ended).rejects.toThrow();
  expect(during.destroyed).toBe(true);

  const before = bodyOf('12');
  await expect(readBody(before, 4, controller.signal)).rejects.toThrow();
  expect(before.destroyed).toBe(true);
});
