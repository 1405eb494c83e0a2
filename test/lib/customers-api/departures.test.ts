import { execFileSync } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { stat } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createDepartures, type Departures } from '../../../lib/customers-api/departures.ts';

type Dispatcher = NonNullable<RequestInit['dispatcher']>;

test('lets no request leave before what has come meanwhile is read, wherever the event loop stands', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer(accepted.resolve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const reader = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  const writer = await accepted.promise;
  const departures = createDepartures(false);
  reader.on('data', () => departures.holdBack());

  const aborted: boolean[] = [];
  const left = await new Promise((resolve) => {
    // After this callback the event loop runs what `setImmediate` was given, and only then looks at the sockets.
    stat('.', () => {
      writer.write('429');
      const call = departures.begin({
        mayLeave: () => true,
        abort: (hasLeft) => aborted.push(hasLeft),
      });
      const run = call.run(async () => 'left');
      resolve(run.catch(() => 'held back'));
    });
  });

  expect({ left, aborted }).toEqual({ left: 'held back', aborted: [false] });
  reader.destroy();
  server.close();
});

test('looks at the sockets again where it took long to read what had come', async () => {
  const times = [0, 11, 20];
  const departures = createDepartures(false, () => times.shift() ?? 20);
  const call = departures.begin({ mayLeave: () => true, abort: () => {} });

  const left = call.run(async () => 'left').catch(() => 'held back');
  setImmediate(() => setImmediate(departures.holdBack));

  expect(await left).toBe('held back');
});

test('a request leaves in the end where each look at the sockets takes long', async () => {
  let nowMs = 0;
  const departures = createDepartures(false, () => {
    nowMs += 50;
    return nowMs;
  });
  const call = departures.begin({ mayLeave: () => true, abort: () => {} });

  expect(await call.run(async () => 'left')).toBe('left');
});

/** What undici publishes. */
const created = channel('undici:request:create');
const sent = channel('undici:client:sendHeaders');

function begun(aborted: boolean[], mayLeave = () => true, now = () => 0) {
  const departures = createDepartures(false, now);
  const call = departures.begin({
    mayLeave,
    abort: (hasLeft) => aborted.push(hasLeft),
  });
  return { departures, call };
}

test('what a proxy is asked before is not the request itself', async () => {
  const aborted: boolean[] = [];
  const { departures, call } = begun(aborted);
  await call.run(async () => {
    const tunnel = { method: 'CONNECT' };
    created.publish({ request: tunnel });
    sent.publish({ request: tunnel });
    const request = { method: 'GET' };
    created.publish({ request });
    expect({ where: call.whereabouts(), aborted }).toEqual({ where: 'kept', aborted: [] });
    sent.publish({ request });
    departures.holdBack();
    expect({ where: call.whereabouts(), aborted }).toEqual({ where: 'left', aborted: [] });
    created.publish({ request: { method: 'GET' } });
  });
  expect(aborted).toEqual([true]);
});

test('a request that is made after its call was held back does not leave', async () => {
  const aborted: boolean[] = [];
  const { departures, call } = begun(aborted);
  await call.run(async () => {
    departures.holdBack();
    created.publish({ request: { method: 'GET' } });
  });
  expect(aborted).toEqual([false]);
});

test.each([
  ['for the first time', [false, true], { where: 'kept', aborted: [false] }],
  ['once more, as a fetch of a user may', [true, false], { where: 'left', aborted: [true] }],
] as const)('a request that would leave too late %s is ended', async (_, mayLeave, expected) => {
  const aborted: boolean[] = [];
  const answers = [...mayLeave];
  const { call } = begun(aborted, () => answers.shift() === true);
  await call.run(async () => {
    const request = { method: 'POST' };
    created.publish({ request });
    sent.publish({ request });
    if (aborted.length === 0) sent.publish({ request });
  });
  expect({ where: call.whereabouts(), aborted }).toEqual(expected);
});

test('a call that is over is let go of', async () => {
  const aborted: boolean[] = [];
  const { departures, call } = begun(aborted);
  await call.run(async () => created.publish({ request: { method: 'GET' } }));
  departures.holdBack();
  expect(aborted).toEqual([]);
});

test('throws at no dispatcher that makes no request, as one that plays the API', async () => {
  const { departures, call } = begun([]);
  await call.run(async () => {
    const { connect: begin } = dispatched(departures);
    departures.holdBack();
    expect(begin).not.toThrow();
    created.publish({ request: { method: 'GET' } });
    expect(begin).toThrow();
  });
});

test('throws at a dispatcher that sends a second request of a call', async () => {
  const { departures, call } = begun([]);
  await call.run(async () => {
    const { connect: begin } = dispatched(departures);
    const request = { method: 'POST' };
    created.publish({ request });
    expect(begin).not.toThrow();
    sent.publish({ request });
    created.publish({ request: { method: 'POST' } });
    expect(begin).toThrow();
  });
});

test('knows that a request has left where nothing is said before it is written whole', async () => {
  let leaving = 0;
  const departures = createDepartures(false);
  const onLeave = () => {
    leaving++;
  };
  const call = departures.begin({ mayLeave: () => true, abort: () => {}, onLeave });
  await call.run(async () => {
    const request = { method: 'POST' };
    created.publish({ request });
    expect(call.whereabouts()).toBe('kept');
    for (let repeats = 0; repeats < 2; repeats++) {
      channel('undici:request:bodySent').publish({ request });
      expect({ where: call.whereabouts(), leaving }).toEqual({ where: 'left', leaving: 1 });
    }
  });
});

/** A request of fetch at a dispatcher that begins it when the test wants it to. */
function dispatched(departures: Departures): { readonly connect: () => void } {
  const begun: (() => void)[] = [];
  const dispatch: Dispatcher['dispatch'] = (_, handler) => {
    begun.push(() => handler.onConnect?.(() => {}));
    return true;
  };
  const name = Symbol.for('undici.globalDispatcher.1');
  const before: unknown = Reflect.get(globalThis, name);
  Reflect.set(globalThis, name, { dispatch });
  const { dispatcher } = departures.fetchOptions();
  Reflect.set(globalThis, name, before);
  dispatcher?.dispatch({ path: '/', method: 'GET' }, { onConnect: () => {} });
  return { connect: () => begun[0]?.() };
}

function resultOf(program: URL): unknown {
  const options = ['--disable-warning=ExperimentalWarning', program.pathname];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
}

test('keeps the connections that are being made for requests that it holds back, and tells of those that leave', () => {
  const expected = { leaving: 4, requests: 4, connections: 3 };
  expect(resultOf(new URL('hold-back-while-connecting.ts', import.meta.url))).toEqual(expected);
});

test('lets no read and no write leave on a new connection before what has come meanwhile is read', () => {
  expect(resultOf(new URL('look-before-leaving.ts', import.meta.url))).toEqual({
    became: [429, 'HELD_BACK', 'HELD_BACK'],
    early: 0,
    later: [200, 200],
    connections: 3,
  });
});
