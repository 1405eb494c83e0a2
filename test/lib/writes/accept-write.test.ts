import { expect, test } from '@jest/globals';
import { acceptWrite, credentialInUse } from '../../../lib/writes/accept-write.ts';
import { MAX_LINE_LENGTH } from '../../../lib/writes/order-line.ts';
import { fingerprintOf, type RequestedWrite } from '../../../lib/writes/write-request.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { acceptWorld } from './accept-world.ts';
import { settingsWith } from './default-settings.ts';

const settings = settingsWith({
  operations: [
    { name: 'put', method: 'PUT', resource: 'customers/{a}-{b}', acceptsIdempotencyKey: false },
  ],
});
const REQUEST: RequestedWrite = {
  ...{ v: 1, connection: 'acme', writeId: 'w', operation: 'put', params: { a: '7', b: '8' } },
};
const ORDERED: RequestedWrite = { ...REQUEST, orderKey: 'o' };

/** The write of a request, as the ledger has it after an earlier delivery. */
function known(request: RequestedWrite, own: Partial<WriteState> = {}): WriteState {
  const { orderKey } = request;
  const state = writeState({ fingerprint: fingerprintOf(request), ...own });
  return orderKey === undefined ? state : { ...state, orderKey };
}

test('a new write is in the ledger and in its order before its message is sent', async () => {
  const { ports, ledger, sent } = acceptWorld([]);
  const accepted = await acceptWrite(ports, settings, ORDERED);

  expect(accepted).toMatchObject({ kind: 'accepted', state: { credential: 'v1/' } });
  expect(ledger.readWrite('acme', 'w')).toMatchObject({ status: 'intended', orderKey: 'o' });
  expect(ledger.readLine('acme', 'o')?.writeIds).toEqual(['w']);
  expect(sent).toEqual([{ v: 1, connection: 'acme', writeId: 'w', attempt: 0 }]);
});

test('a request that comes again before its message was sent joins its order and has it sent', async () => {
  const { ports, ledger, sent } = acceptWorld([known(ORDERED)]);

  expect(await acceptWrite(ports, settings, ORDERED)).toMatchObject({ kind: 'joined' });
  expect(ledger.readLine('acme', 'o')?.writeIds).toEqual(['w']);
  expect(sent).toHaveLength(1);
});

test.each<[string, Partial<WriteState>]>([
  ['was claimed', { status: 'sent', attempt: 0 }],
  ['was tried', { attempt: 1 }],
  ['has sent its message', { wakeUpSent: true }],
  ['is over', { status: 'done', attempt: 1 }],
])('a request that comes again when its write %s joins it, and nothing else', async (_, own) => {
  const { ports, ledger, sent } = acceptWorld([known(ORDERED, own)]);

  expect(await acceptWrite(ports, settings, ORDERED)).toMatchObject({ kind: 'joined' });
  expect(ledger.readLine('acme', 'o')).toBeUndefined();
  expect(sent).toEqual([]);
});

test('a request that comes again joins its write although its operation is not there any more', async () => {
  const { ports } = acceptWorld([known(REQUEST)]);
  const without = settingsWith({ operations: [] });

  expect(await acceptWrite(ports, without, REQUEST)).toMatchObject({ kind: 'joined' });
});

test('another request under the id of a write changes and sends nothing', async () => {
  const { ports, ledger, sent } = acceptWorld([known(REQUEST)]);
  const other = { ...REQUEST, params: { a: '7', b: '9' } };

  expect(await acceptWrite(ports, settings, other)).toMatchObject({ kind: 'conflict' });
  expect(ledger.readWrite('acme', 'w')).toEqual(known(REQUEST));
  expect(sent).toEqual([]);
});

test('of two deliveries at the same time one makes the write, and the other joins it', async () => {
  const { ports, ledger } = acceptWorld([]);
  const both = await Promise.all([
    acceptWrite(ports, settings, REQUEST),
    acceptWrite(ports, settings, REQUEST),
  ]);

  expect(both.map(({ kind }) => kind).sort()).toEqual(['accepted', 'joined']);
  expect(ledger.readWrite('acme', 'w')).toMatchObject({ status: 'intended' });
});

test.each<[string, Partial<RequestedWrite>, string]>([
  ['id', { writeId: 'KE-Y' }, 'writeId'],
  ['order', { orderKey: 'KE-Y' }, 'orderKey'],
  ['params', { params: { a: 'KE-Y', b: '1' } }, 'params'],
  ['params, cut into pieces', { params: { a: 'KE', b: 'Y' } }, 'params'],
  ['body', { bodyText: '{"a":"KE-Y"}' }, 'body'],
])('of a write that holds the key in its %s nothing is stored or sent', async (_, own, setting) => {
  const { world, ports, ledger, sent } = acceptWorld([]);
  // As where the secret cannot be used any more.
  world.hasKey = false;
  const holdsKey = (text: string) => text.includes('KE-Y');
  const request = { ...REQUEST, ...own };
  const answer = await acceptWrite({ ...ports, holdsKey }, settings, request);

  expect(answer).toMatchObject({ kind: 'key-in-request', setting });
  expect(JSON.stringify(answer)).not.toContain('KE-Y');
  expect(ledger.readWrite('acme', request.writeId)).toBeUndefined();
  expect(sent).toEqual([]);
});

test('an order takes as many writes as an item of the ledger has room for', async () => {
  const ids = Array.from({ length: MAX_LINE_LENGTH }, (_, index) => `w${index}`);
  const full = acceptWorld([], ids);
  const nearly = acceptWorld([], ids.slice(1));

  expect(await acceptWrite(full.ports, settings, ORDERED)).toMatchObject({ kind: 'line-full' });
  expect(full.ledger.readWrite('acme', 'w')).toBeUndefined();
  expect(await acceptWrite(nearly.ports, settings, ORDERED)).toMatchObject({ kind: 'accepted' });
});

test('the organization that is meant is that of the key, or without one of the last that was used', async () => {
  const { world, ports } = acceptWorld([]);
  const organization = { writeToken: 't', id: 'o', credentials: ['v1/', 'v2/'] };
  const used = {
    ...ports,
    gates: { read: async () => ({ blockedUntilMs: 0, haltedKeyVersions: [], organization }) },
  };

  expect(await credentialInUse(used, 'acme', 'cached')).toBe('v1/');
  world.hasKey = false;
  expect(await credentialInUse(used, 'acme', 'cached')).toBe('v2/');
  expect(await credentialInUse(ports, 'acme', 'cached')).toBeUndefined();
});
