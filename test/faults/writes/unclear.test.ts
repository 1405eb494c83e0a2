import { expect, test } from '@jest/globals';
import type { WriteOutcome } from '../../../lib/customers-api/outcome.ts';
import type { Fault, FaultPlan } from '../fault-plan.ts';
import { type ApiRules, ModelWriteApi } from './model-write-api.ts';
import { OPERATIONS, writeOf } from './operations.ts';
import { checkOrder, checkTimes, checkWrites } from './write-checks.ts';
import { WriteWorld, type WriteWorldOptions } from './write-world.ts';

const settings = { operations: OPERATIONS };
const HOUR_MS = 3600 * 1000;
const RULES: ApiRules = {
  ...{ requestsPerSecond: 1_000, burst: 1_000, idempotencyKeyMs: 24 * HOUR_MS },
  troubles: { errorAfterEffect: 0, errorBeforeEffect: 0, lateEffect: 0, lateMs: 0, untilMs: 0 },
};

/** The first call of this name goes wrong. */
function firstOf(name: string, fault: Fault): FaultPlan {
  let isOver = false;
  return (_, each) => {
    if (isOver || each !== name) return undefined;
    isOver = true;
    return fault;
  };
}

async function worldWith(
  options: WriteWorldOptions,
  ...asked: readonly ReturnType<typeof writeOf>[]
): Promise<WriteWorld> {
  const world = new WriteWorld({ settings, ...options });
  void (async () => {
    for (const request of asked) await world.insist(() => world.accept(request));
  })();
  await world.runUntil(() => false, false);
  return world;
}

/** Runs until nothing moves. */
async function settle(
  world: WriteWorld,
  writeId: string,
  decision: 'done' | 'retry' | 'drop',
  attempt = world.stateOf(writeId)?.attempt ?? 0,
): Promise<unknown> {
  const by = 'arn:aws:iam::1:user/ada';
  const settled = world.settle({ writeId, attempt, decision, by, note: 'Seen.' });
  await world.runUntil(() => false, false);
  return settled;
}

test.each([
  ['after the effect', 'throw-after', 1, 'done'],
  ['before the effect', 'throw-before', 0, 'retry'],
] as const)(
  'sends a write without key and check once when the answer is lost %s, tells it and waits for a person',
  async (_, fault, effects, decision) => {
    const bare = writeOf('create-bare', 'w');
    const world = await worldWith({ faults: firstOf('api', fault) }, bare);
    world.clock.at(world.clock.now() + 30 * 24 * HOUR_MS, () => undefined);
    await world.runUntil(() => false, false);
    void world.sweep();
    await world.runUntil(() => false, false);
    expect(world.api.requests).toHaveLength(effects);
    expect(world.api.effects).toHaveLength(effects);
    expect(world.stateOf('w')).toMatchObject({
      status: 'unclear',
      closed: true,
      reason: { code: 'no-clear-answer' },
    });
    expect(world.events.map(({ kind, reasonCode }) => [kind, reasonCode])).toEqual([
      ['unclear', 'no-clear-answer'],
    ]);

    expect(await settle(world, 'w', decision)).toMatchObject({ kind: 'settled' });
    expect(world.stateOf('w')).toMatchObject({
      status: 'done',
      settledBy: decision === 'done' ? 'person' : 'answer',
      settlements: [
        {
          by: 'arn:aws:iam::1:user/ada',
          decision,
          note: 'Seen.',
          before: { status: 'unclear', reason: { code: 'no-clear-answer' } },
        },
      ],
    });
    expect(world.events.map(({ kind }) => kind)).toEqual(['unclear', 'done']);
    checkWrites(world, [bare]);
  },
);

test('settles the same decision of the same person once, and nothing that is over', async () => {
  const world = await worldWith(
    { faults: firstOf('api', 'throw-after') },
    writeOf('create-bare', 'w'),
  );
  const { attempt = 0 } = world.stateOf('w') ?? {};
  await settle(world, 'w', 'done');
  expect(await settle(world, 'w', 'done', attempt)).toMatchObject({ kind: 'settled' });
  expect(world.stateOf('w')?.settlements).toHaveLength(1);
  expect(await settle(world, 'w', 'retry')).toMatchObject({ kind: 'not-unclear' });
  expect(await settle(world, 'other', 'done')).toEqual({ kind: 'missing' });
});

test('a decision about an earlier attempt settles nothing', async () => {
  // Two lost answers: unclear, sent again as a person says, and unclear again.
  const troubles = {
    errorAfterEffect: 0,
    errorBeforeEffect: 1,
    lateEffect: 0,
    lateMs: 0,
    untilMs: Number.POSITIVE_INFINITY,
  };
  const world = await worldWith({ api: { troubles } }, writeOf('create-bare', 'w'));
  const { attempt = 0 } = world.stateOf('w') ?? {};
  await settle(world, 'w', 'retry');
  expect(world.stateOf('w')).toMatchObject({ status: 'unclear', counters: { requests: 2 } });

  expect(await settle(world, 'w', 'retry', attempt)).toMatchObject({ kind: 'settled' });
  expect(await settle(world, 'w', 'done', attempt)).toMatchObject({ kind: 'not-unclear' });
  expect(world.stateOf('w')).toMatchObject({ status: 'unclear', counters: { requests: 2 } });
});

test('holds those behind an unclear write and nobody else', async () => {
  const asked = [
    writeOf('create-bare', 'first', { orderKey: 'line' }),
    writeOf('create-bare', 'second', { orderKey: 'line' }),
    writeOf('create-bare', 'other', { orderKey: 'other-line' }),
    writeOf('create-bare', 'free'),
  ];
  const world = await worldWith({ faults: firstOf('api', 'throw-after'), batchSize: 1 }, ...asked);
  const statusOf = (writeId: string) => world.stateOf(writeId)?.status;
  expect(asked.map(({ writeId }) => statusOf(writeId))).toEqual([
    'unclear',
    'intended',
    'done',
    'done',
  ]);
  await settle(world, 'first', 'done');
  expect(statusOf('second')).toBe('done');
  checkWrites(world, asked);
  checkOrder(world, asked);
});

test('repeats with the same key as long as it is valid, then checks, then asks a person', async () => {
  const api = {
    troubles: {
      errorAfterEffect: 0,
      errorBeforeEffect: 1,
      lateEffect: 0,
      lateMs: 0,
      untilMs: Number.POSITIVE_INFINITY,
    },
  };
  const valid = { operations: OPERATIONS, idempotencyKeySeconds: 3600 };
  const keyed = writeOf('create-keyed', 'w');
  const world = await worldWith({ api, settings: valid }, keyed);
  const sent = world.api.requests.filter(({ kind }) => kind === 'write');
  expect(sent.length).toBeGreaterThan(5);
  expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect((sent.at(-1)?.atMs ?? 0) - (sent[0]?.atMs ?? 0)).toBeLessThanOrEqual(HOUR_MS);
  expect(world.stateOf('w')).toMatchObject({ status: 'unclear', closed: true });

  const checked = await worldWith({ api, settings: valid }, writeOf('create-keyed-checked', 'w'));
  expect(checked.api.requests.some(({ kind }) => kind === 'list')).toBe(true);
  expect(checked.stateOf('w')).toMatchObject({ status: 'unclear', closed: true });
  checkWrites(checked, [writeOf('create-keyed-checked', 'w')]);
}, 180_000);

test.each([
  ['looked for', 'create-keyed-checked', { status: 'done', settledBy: 'check' }],
  ['left to a person', 'create-keyed', { status: 'unclear', reason: { code: 'no-clear-answer' } }],
])(
  'a write whose answer was lost is not repeated with another API key: it is %s',
  async (_, operation, expected) => {
    const lost = firstOf('api', 'throw-after');
    const world: WriteWorld = new WriteWorld({
      settings,
      faults: (call, name) => {
        const fault = lost(call, name);
        if (fault !== undefined) world.keyVersion = 'v2';
        return fault;
      },
    });
    world.exported('label');
    const request = writeOf(operation, 'w');
    world.queue.send({ kind: 'request', request });
    await world.runUntil(() => false, false);
    expect(world.stateOf('w')).toMatchObject({ ...expected, sentAs: 'v1/' });
    checkWrites(world, [request]);
  },
);

test('waits for another key version, sends the rejected one once, and then goes on', async () => {
  const asked = ['a', 'b', 'c'].map((writeId) => writeOf('create-bare', writeId));
  const world = new WriteWorld({ settings, concurrency: 1, batchSize: 1 });
  world.api.revoked.add('v1');
  for (const request of asked) world.queue.send({ kind: 'request', request });
  await world.runUntil(() => false, false);
  expect(world.api.requests).toHaveLength(1);
  expect(asked.map(({ writeId }) => world.stateOf(writeId)?.status)).toEqual([
    'intended',
    'intended',
    'intended',
  ]);
  const still = world.sweep();
  await world.runUntil(() => false, false);
  expect((await still).map(({ result }) => result)).toEqual(asked.map(() => 'still-halted'));

  world.keyVersion = 'v2';
  void world.sweep();
  await world.runUntil(() => false, false);
  expect(asked.map(({ writeId }) => world.stateOf(writeId)?.status)).toEqual([
    'done',
    'done',
    'done',
  ]);
  checkWrites(world, asked);
  checkTimes(world);
});

test('leaves writes to a person when nothing shows that the new key is of the same organization', async () => {
  const asked = ['a', 'b'].map((writeId) => writeOf('create-bare', writeId));
  const world = new WriteWorld({ settings, concurrency: 1, batchSize: 1 });
  world.hasLabels = false;
  world.api.revoked.add('v1');
  for (const request of asked) world.queue.send({ kind: 'request', request });
  await world.runUntil(() => false, false);

  world.keyVersion = 'v2';
  void world.sweep();
  await world.runUntil(() => false, false);
  expect(world.api.requests.filter(({ keyVersion }) => keyVersion === 'v2')).toEqual([]);
  for (const { writeId } of asked) {
    const reason = { code: 'organization-changed' };
    expect(world.stateOf(writeId)).toMatchObject({ status: 'unclear', closed: true, reason });
  }

  await settle(world, 'a', 'retry');
  await settle(world, 'b', 'drop');
  await world.runUntil(() => false, false);
  expect(world.stateOf('a')).toMatchObject({ status: 'done', closed: true });
  expect(world.stateOf('b')).toMatchObject({ status: 'refused', reason: { code: 'dropped' } });
  expect(world.events.map(({ kind }) => kind)).toEqual(['unclear', 'unclear', 'done', 'refused']);
});

test('sends a rejected key once also when the gate cannot be told at first', async () => {
  let failures = 0;
  const asked = ['a', 'b'].map((writeId) => writeOf('create-bare', writeId));
  const world = new WriteWorld({
    settings,
    concurrency: 1,
    batchSize: 1,
    faults: (_, name) => (name === 'haltKeyVersion' && failures++ < 5 ? 'throw-before' : undefined),
  });
  world.api.revoked.add('v1');
  for (const request of asked) world.queue.send({ kind: 'request', request });
  await world.runUntil(() => false, false);

  expect(failures).toBe(6);
  expect(world.api.requests).toHaveLength(1);
  expect(world.halts).toMatchObject([{ keyVersion: 'v1' }]);
  expect(asked.map(({ writeId }) => world.stateOf(writeId)?.status)).toEqual([
    'intended',
    'intended',
  ]);
});

test('gives up a write that never took effect when its time is over', async () => {
  const world = new WriteWorld({ settings: { operations: OPERATIONS, maxDurationSeconds: 3600 } });
  world.api.revoked.add('v1');
  const request = writeOf('create-bare', 'w');
  world.queue.send({ kind: 'request', request });
  await world.runUntil(() => world.stateOf('w')?.closed === true);
  expect(world.stateOf('w')).toMatchObject({ status: 'refused', reason: { code: 'deadline' } });
  checkWrites(world, [request]);
});

test('wakes a write whose message was lost, and leaves one alone that is on its way', async () => {
  const world = new WriteWorld({ settings, losses: 1 });
  void world.accept(writeOf('create-bare', 'w'));
  await world.runUntil(() => false, false);
  const early = world.sweep();
  await world.runUntil(() => false, false);
  expect(await early).toEqual([]);
  world.clock.at(world.clock.now() + 10 * 60_000, () => undefined);
  await world.runUntil(() => false, false);
  const late = world.sweep();
  await world.runUntil(() => false, false);
  expect((await late).map(({ result }) => result)).toEqual(['wake']);
});

test('tells the same id with another body apart, and changes nothing of the first', async () => {
  const world = await worldWith({}, writeOf('create-bare', 'w'));
  const other = world.accept(writeOf('create-keyed', 'w'));
  const same = world.accept(writeOf('create-bare', 'w'));
  await world.runUntil(() => false, false);
  expect(await other).toEqual({ kind: 'conflict' });
  expect(await same).toMatchObject({ kind: 'joined', state: { status: 'done' } });
  world.queue.send({ kind: 'request', request: writeOf('create-keyed', 'w') });
  await world.runUntil(() => false, false);
  expect(world.reports.at(-1)).toMatchObject({ answer: 'reject', result: 'conflict' });
  expect(world.api.effects).toHaveLength(1);
});

test('sends nothing more for a message that comes again while the request is under way', async () => {
  const world = new WriteWorld({ settings, latencyMs: 20_000, batchSize: 1, concurrency: 2 });
  const request = writeOf('create-bare', 'w');
  world.queue.send({ kind: 'request', request });
  world.clock.at(world.clock.now() + 5_000, () => world.queue.send({ kind: 'request', request }));
  await world.runUntil(() => false, false);
  expect(world.api.requests).toHaveLength(1);
  expect(world.reports.map(({ result }) => result)).toEqual(['held', 'done', 'over']);
  expect(world.events.map(({ kind }) => kind)).toEqual(['done']);
});

test('keeps to Retry-After by itself when the gate could not be told', async () => {
  const world = await worldWith(
    {
      api: { requestsPerSecond: 0.1, burst: 1 },
      faults: (_, name) => (name === 'blockUntil' ? 'throw-before' : undefined),
    },
    writeOf('create-bare', 'first'),
    writeOf('create-bare', 'second'),
  );
  const [throttled, again] = world.api.requests.filter(({ writeId }) => writeId === 'second');
  expect(throttled?.outcome).toBe('throttled 429');
  expect((again?.atMs ?? 0) - (throttled?.atMs ?? 0)).toBeGreaterThanOrEqual(9_000);
  expect(world.api.requests).toHaveLength(3);
});

const WAIT = { retryAfterSeconds: 3600, waitSource: 'retry-after' } as const;

test.each<[string, boolean, WriteOutcome]>([
  ['was throttled, also without a sweep', false, { kind: 'throttled', status: 429, ...WAIT }],
  ['is done', true, { kind: 'done', status: 201, ...WAIT }],
  [
    'was refused',
    true,
    { kind: 'refused', reason: 'client-error', status: 422, message: 'Bad.', ...WAIT },
  ],
])(
  'a wait that the gate did not take is told to it later by a write that %s',
  async (_, sweeps, told) => {
    const world: WriteWorld = new WriteWorld({
      settings,
      faults: (_call, name) => (name === 'blockUntil' && isDown() ? 'throw-before' : undefined),
      makeApi: (clock) => {
        const api = new ModelWriteApi(clock, () => 1, RULES);
        const write = api.write.bind(api);
        api.write = (...sent) => {
          const answer = write(...sent);
          return api.requests.length === 1 ? told : answer;
        };
        return api;
      },
    });
    const startMs = world.clock.now();
    // Longer than a function tries.
    const isDown = () => world.clock.now() < startMs + 120_000;
    world.queue.send({ kind: 'request', request: writeOf('create-bare', 'first') });
    await world.runUntil(() => (world.stateOf('first')?.attempt ?? 0) > 0, false);
    world.clock.at(startMs + 20 * 60_000, () => undefined);
    await world.runUntil(() => world.clock.now() >= startMs + 20 * 60_000, sweeps);
    const { blockedUntilMs } = world.gates.read('acme');
    expect(blockedUntilMs - startMs).toBeGreaterThanOrEqual(HOUR_MS);

    world.queue.send({ kind: 'request', request: writeOf('create-bare', 'second') });
    await world.runUntil(() => world.stateOf('second')?.closed === true);
    expect(world.api.requests[1]?.atMs).toBeGreaterThanOrEqual(blockedUntilMs);
    await world.runUntil(() => world.stateOf('first')?.closed === true);
    expect(world.stateOf('first')).not.toHaveProperty('untoldWait');
  },
);

test('sends no write past the head of its line whose acceptance ended before it had a place there', async () => {
  let joins = 0;
  let answers = 0;
  const world = new WriteWorld({
    settings,
    faults: (_, name) => {
      if (name === 'api') return answers++ === 0 ? 'throw-after' : undefined;
      return name === 'writeLine' && joins++ === 1 ? 'crash-before' : undefined;
    },
  });
  const [first, second] = ['first', 'second'].map((writeId) =>
    writeOf('create-bare', writeId, { orderKey: 'line' }),
  );
  for (const request of [first, second]) {
    if (request !== undefined) void world.accept(request).catch(() => undefined);
    await world.runUntil(() => false, false);
  }
  expect(world.ledger.readLine('acme', 'line')?.writeIds).toEqual(['first']);
  await world.runUntil(() => world.clock.now() > Date.UTC(2026, 0, 1) + HOUR_MS);
  expect(world.stateOf('first')).toMatchObject({ status: 'unclear' });
  expect(world.stateOf('second')).toMatchObject({ status: 'intended' });
  expect(world.ledger.readLine('acme', 'line')?.writeIds).toEqual(['first', 'second']);
  expect(world.api.requests).toHaveLength(1);
});
