import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BodyBuffers } from '../../../lib/customers-api/body-buffers.ts';
import { readBody } from '../../../lib/customers-api/read-body.ts';

const never = new AbortController().signal;

type Body = ReadableStream<Uint8Array>;

/** A body that is still open behind its chunks. */
function openBody(...chunks: readonly string[]) {
  const state: { isCancelled: boolean; end: (error?: unknown) => void } = {
    isCancelled: false,
    end: () => {},
  };
  const body: Body = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      state.end = (error) => controller.error(error);
    },
    cancel: () => {
      state.isCancelled = true;
    },
  });
  return { body, state };
}

function bodyOf(...chunks: readonly (string | Uint8Array)[]): Body {
  return ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
}

function read(body: Body, maxBytes: number, signal = never, buffers = new BodyBuffers()) {
  return readBody(body, buffers, { maxBytes, beyond: 'fails', signal });
}

async function bytesOf(...args: Parameters<typeof read>): Promise<Uint8Array> {
  const body = await read(...args);
  if ('kind' in body) throw new Error(body.reason);
  return body.bytes;
}

test.each([[[]], [['{}']], [['{"a"', ':', '1}']]])('joins the chunks %j', async (chunks) => {
  const bytes = await bytesOf(bodyOf(...chunks), 100);

  expect(Buffer.from(bytes).toString()).toBe(chunks.join(''));
});

test('joins chunks of any size into memory that held other bodies', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (before, after) => {
      const buffers = new BodyBuffers();
      for (const [fill, some] of [before, after].entries()) {
        const chunks = some.map((size, index) => Buffer.alloc(size, fill * 10 + index));
        const answer = await read(bodyOf(...chunks), 10_000_000, never, buffers);
        if ('kind' in answer) throw new Error(answer.reason);
        expect(Buffer.concat(chunks).equals(answer.bytes)).toBe(true);
        answer.release();
      }
    }),
    { numRuns: 50 },
  );
});

test('takes a body of exactly the cap, and reads nothing on behind it', async () => {
  expect(await bytesOf(bodyOf('12', '34'), 4)).toHaveLength(4);

  const { body, state } = openBody('12', '345');
  expect(await read(body, 4)).toEqual({ kind: 'failure', reason: 'too-large', sent: true });
  expect(state.isCancelled).toBe(true);
});

test('gives the memory of a body that is too large to the next one', async () => {
  const buffers = new BodyBuffers();
  const buffer = buffers.take(0);
  buffer.release();
  expect(await read(bodyOf('12345'), 4, never, buffers)).toMatchObject({ reason: 'too-large' });

  expect(buffers.take(0).bytes.buffer === buffer.bytes.buffer).toBe(true);
});

test('fails when the body fails', async () => {
  const { body, state } = openBody('12');
  const failed = read(body, 4);
  state.end(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
  await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('closes the body when the signal ends it, before or while it comes', async () => {
  const controller = new AbortController();
  const during = openBody('12');
  const ended = read(during.body, 4, controller.signal);
  controller.abort();
  await expect(ended).rejects.toThrow();
  expect(during.state.isCancelled).toBe(true);

  const before = openBody('12');
  await expect(read(before.body, 4, controller.signal)).rejects.toThrow();
  expect(before.state.isCancelled).toBe(true);
});

const MIB = 1024 * 1024;

/** What long bodies consist of. */
const PIECE = new Uint8Array(MIB);

/** A body of so many MiB, and how many of them were asked for. */
function longBody(mib: number) {
  const state = { pulled: 0 };
  const body: Body = new ReadableStream(
    {
      pull: async (controller) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (state.pulled === mib) return controller.close();
        state.pulled++;
        controller.enqueue(PIECE);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

test('reads long bodies that come at the same time after each other, where they take too much together', async () => {
  const buffers = new BodyBuffers();
  const bodies = Array.from({ length: 6 }, () => longBody(16));
  let most = 0;
  const over = new Set<unknown>();
  const readOne = async (each: ReturnType<typeof longBody>) => {
    const { length } = await bytesOf(each.body, 16 * MIB, never, buffers);
    over.add(each);
    const underWay = bodies.filter((other) => !over.has(other));
    most = Math.max(
      most,
      underWay.reduce((sum, { state }) => sum + state.pulled, 0),
    );
    return length;
  };
  const lengths = await Promise.all(bodies.map(readOne));
  expect(new Set(lengths)).toEqual(new Set([16 * MIB]));
  // What fits, and the piece that each has got when it begins to wait.
  expect(most).toBeLessThanOrEqual(64 + bodies.length);
});

test('ends a body that waits for others when its signal ends it', async () => {
  const buffers = new BodyBuffers();
  const taken = Array.from({ length: 4 }, () => buffers.budget.begin(16 * MIB));
  const aborting = new AbortController();
  const { body: long, state } = longBody(16);
  const waits = read(long, 16 * MIB, aborting.signal, buffers);
  // With its first piece it begins to wait.
  while (state.pulled === 0) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.pulled).toBe(1);
  aborting.abort(new Error('Too late.'));
  await expect(waits).rejects.toThrow('Too late.');
  for (const each of taken) each.end();
  const body = await read(longBody(16).body, 16 * MIB, never, buffers);
  expect('kind' in body ? body.reason : body.bytes.length).toBe(16 * MIB);
});
