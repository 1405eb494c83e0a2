import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Simulator } from '../../../infra/simulator/simulator.ts';
import type { ApiRequests } from '../../../lib/customers-api/api-requests.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { keyDetectorOf } from '../../../lib/key/redaction.ts';
import { CANARY, startSimulatedApi } from '../../lib/customers-api/simulated-api.ts';
import { CONNECTION, createExactWorld } from './exact-world.ts';

const holdsKey = keyDetectorOf(ApiKey.from(CANARY));
const message = (write: object) => JSON.stringify({ v: 1, connection: CONNECTION, ...write });

const HELD = { writeId: 'w', operation: 'change', params: { id: '7' }, body: { note: CANARY } };
const IN_PATH = { ...HELD, params: { id: CANARY }, body: {} };

let simulator: Simulator;
let client: ApiRequests;

beforeAll(async () => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  ({ simulator, requests: client } = await startSimulatedApi({ customers: 0 }));
});
afterAll(async () => {
  jest.restoreAllMocks();
  await simulator.close();
});

test.each([
  ['body', HELD],
  ['params', IN_PATH],
  ['writeId', { ...HELD, writeId: 'canary', body: {} }],
])(
  'a message with the key in its %s is put aside before the ledger has it',
  async (member, write) => {
    // An id takes fewer characters than a key.
    const isHeld = (text: string) => holdsKey(text) || text === 'canary';
    const world = createExactWorld(client, isHeld);
    world.send('m', message(write));
    const aside = await world.drain();

    expect(aside.get('m')).toMatch(new RegExp(`^${member}: holds the key of a connection`));
    expect(aside.get('m')).not.toContain(CANARY);
    expect(world.bodies).toEqual([expect.stringMatching(/^Not kept/)]);
    expect(await world.stateOf(write.writeId)).toBeUndefined();
    expect(simulator.log.entries).toEqual([]);
  },
);

test.each([
  ['body', HELD],
  ['path', IN_PATH],
])(
  'a write that was accepted before its key was there is not sent with it in its %s',
  async (_, write) => {
    const world = createExactWorld(client);
    world.send('m', message(write));
    const aside = await world.drain();

    const state = await world.stateOf('w');
    expect(aside.size).toBe(0);
    expect(state).toMatchObject({ status: 'refused', reason: { code: 'key-in-request' } });
    expect(holdsKey(JSON.stringify(state))).toBe(false);
    expect(simulator.log.entries).toEqual([]);
  },
);
