import { setTimeout as wait } from 'node:timers/promises';

let calls = 0;

const acts = {
  environment: () => process.env,
  context: (_, context) => ({
    ...context,
    remaining: context.getRemainingTimeInMillis(),
    calls: ++calls,
  }),
  wait: ({ ms }) => wait(ms, 'waited'),
  // As an endless loop does, but for the processor.
  block: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  throw: () => {
    throw Object.assign(new Error('on purpose'), { name: 'PurposeError' });
  },
  reject: async () => {
    void Promise.reject(new Error('nobody listens'));
    await wait(500);
  },
  exit: () => process.exit(7),
  tell: () => 'x'.repeat(6 * 1024 * 1024 - 1),
  fill: async () => {
    const held = [];
    for (;;) {
      held.push(Buffer.alloc(16 * 1024 * 1024, 1));
      await wait(5);
    }
  },
};

export const handler = (event, context) => acts[event.act](event, context);
