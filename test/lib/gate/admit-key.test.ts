import { expect, test } from '@jest/globals';
import { asynchronous, MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { admitKey, isNoPage, type SampleAnswer } from '../../../lib/gate/admit-key.ts';
import type { Credential } from '../../../lib/gate/organization.ts';
import { amid, sampleOf } from '../../../lib/gate/organization-sample.ts';
import type { OrganizationEvent } from '../../../lib/gate/ports.ts';
import { NOTHING_LEARNED } from '../../../lib/pace/learned-pace.ts';
import { pageOf } from '../../faults/model-api.ts';

const CONNECTION = 'acme';
const FIRST: Credential = { credential: 'v1/', keyVersion: 'v1' };
const SECOND: Credential = { credential: 'v2/', keyVersion: 'v2' };

/** A connection whose organization A is known by its first key and a sample. */
async function worldOf() {
  const memory = new MemoryGates();
  const gates = asynchronous(memory);
  const events: OrganizationEvent[] = [];
  let isBusDown = false;
  let hanging: PromiseWithResolvers<void> | undefined;
  const slept: number[] = [];
  let tokens = 0;
  const ports = {
    clock: {
      now: () => 5_000,
      sleep: (ms: number, signal: AbortSignal) => {
        slept.push(ms);
        // Time passes only while the bus hangs.
        if (hanging !== undefined) return Promise.resolve();
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
    random: { token: () => `token-${tokens++}` },
    gates,
    events: {
      publish: async (event: OrganizationEvent) => {
        await hanging?.promise;
        if (isBusDown) throw new Error('EventBridge is out of order');
        events.push(event);
      },
    },
  };
  let asked = 0;
  const admit = (
    candidate: Credential,
    answer: () => SampleAnswer<string>,
    meanwhile = async () => {},
  ) =>
    admitKey(
      ports,
      { connection: CONNECTION, candidate, gate: memory.read(CONNECTION) },
      async () => {
        asked++;
        await meanwhile();
        return answer();
      },
    );
  await admit(FIRST, () => ({ kind: 'no-page' }));
  const id = memory.read(CONNECTION).organization?.id ?? '';
  const sample = sampleOf({ resource: 'customers', query: {}, page: 2 }, pageOf(30, 2, 10), 0);
  memory.storeSample(CONNECTION, id, amid(sample, 20));
  const bus = {
    set isDown(isDown: boolean) {
      isBusDown = isDown;
    },
    /** Until the returned function is called. */
    hang: () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      hanging = { promise, resolve, reject };
      return () => {
        hanging = undefined;
        resolve();
      };
    },
  };
  return { memory, ports, events, slept, admit, id, bus, asked: () => asked };
}

const pageOfOrganization = (organization: string) => (): SampleAnswer<string> => ({
  kind: 'page',
  page: pageOf(30, 2, 10, true, organization),
});

test('the first key needs no request, and the same key none ever', async () => {
  const { admit, asked } = await worldOf();
  expect(await admit(FIRST, pageOfOrganization('A'))).toMatchObject({ kind: 'admitted' });
  expect(asked()).toBe(0);
});

test('a new key whose page has the records of the sample goes on as the same organization', async () => {
  const { admit, asked, id, events } = await worldOf();
  for (let times = 0; times < 3; times++) {
    const admission = await admit(SECOND, pageOfOrganization('A'));
    expect(admission).toMatchObject({ kind: 'admitted', organization: { id } });
  }
  expect(asked()).toBe(1);
  expect(events).toEqual([]);
});

const SHOWS_NOTHING: readonly [string, () => SampleAnswer<string>][] = [
  ['other records', pageOfOrganization('B')],
  ['no records', () => ({ kind: 'page', page: pageOf(0, 2, 10) })],
  ['no such page', () => ({ kind: 'no-page' })],
];

test.each(SHOWS_NOTHING)(
  'a new key whose page has %s is another organization, without pace and sample, and is announced once',
  async (_, answer) => {
    const { admit, memory, id, events } = await worldOf();
    const pace = { ...NOTHING_LEARNED, blockedUntilMs: 5 };
    memory.storePace(CONNECTION, id, { v: 2, limit: 'bucket', learned: pace });
    const admission = await admit(SECOND, answer);

    expect(admission).toMatchObject({ kind: 'admitted', organization: { credentials: ['v2/'] } });
    const { organization, ...stored } = memory.read(CONNECTION);
    expect(organization?.id).not.toBe(id);
    expect(stored).not.toHaveProperty('pace');
    expect(stored).not.toHaveProperty('sample');
    // Nor does the caller go on with them.
    expect(admission).not.toHaveProperty('gate.pace');
    expect(admission).not.toHaveProperty('gate.sample');
    await admit(SECOND, answer);
    expect(events).toMatchObject([
      { kind: 'organization-changed', previousOrganizationId: id, shownBy: 'sample' },
    ]);
  },
);

test('a new key with another label needs no request, and goes on without what was learned of the organization before', async () => {
  const { admit, asked, memory, id } = await worldOf();
  const labelled = { ...SECOND, organizationLabel: 'A' };
  await admit(labelled, pageOfOrganization('A'));
  memory.storePace(CONNECTION, id, { v: 2, limit: 'bucket', learned: NOTHING_LEARNED });

  const third = { credential: 'v3/', keyVersion: 'v3', organizationLabel: 'B' };
  const admission = await admit(third, pageOfOrganization('A'));
  expect(admission).toMatchObject({ kind: 'admitted', organization: { label: 'B' } });
  expect(admission).not.toHaveProperty('organization.id', id);
  expect(admission).not.toHaveProperty('gate.pace');
  expect(admission).not.toHaveProperty('gate.sample');
  expect(asked()).toBe(1);
});

test('a caller whose look is older than the sample compares it, and does not forget it', async () => {
  const { ports, memory, id, events } = await worldOf();
  const { sample: _sample, ...gate } = memory.read(CONNECTION);
  const wanted = { connection: CONNECTION, candidate: SECOND, gate };
  const admission = await admitKey(ports, wanted, async () => pageOfOrganization('A')());

  expect(admission).toMatchObject({ kind: 'admitted', organization: { id } });
  expect(events).toEqual([]);
});

test('an answer that shows nothing changes nothing, and another caller may ask', async () => {
  const { admit, asked, id } = await worldOf();
  const stopped = await admit(SECOND, () => ({ kind: 'stopped', stop: 'throttled' }));
  expect(stopped).toEqual({ kind: 'stopped', stop: 'throttled' });
  const admission = await admit(SECOND, pageOfOrganization('A'));
  expect(admission).toMatchObject({ kind: 'admitted', organization: { id } });
  expect(asked()).toBe(2);
});

test('of 20 callers with a new key that look at the same time one asks, and the others wait', async () => {
  const { ports, memory } = await worldOf();
  const wanted = { connection: CONNECTION, candidate: SECOND, gate: memory.read(CONNECTION) };
  let asked = 0;
  const ask = async () => {
    asked++;
    return pageOfOrganization('A')();
  };
  const admissions = await Promise.all(
    Array.from({ length: 20 }, () => admitKey(ports, wanted, ask)),
  );
  expect(asked).toBe(1);
  const kinds = Map.groupBy(admissions, ({ kind }) => kind);
  expect(kinds.get('stopped')).toBeUndefined();
  expect(kinds.get('admitted')?.length).toBeGreaterThan(0);
});

test('asks again soon when another caller checks: that may be over long before its time is', async () => {
  const { admit } = await worldOf();
  let other: unknown;
  await admit(SECOND, pageOfOrganization('A'), async () => {
    other = await admit(SECOND, pageOfOrganization('A'));
  });
  expect(other).toEqual({ kind: 'being-checked', retryAtMs: 7_000 });
});

test('announces a change later when the bus is out of order', async () => {
  const { admit, bus, events } = await worldOf();
  bus.isDown = true;
  expect(await admit(SECOND, pageOfOrganization('B'))).toMatchObject({ kind: 'admitted' });
  expect(events).toEqual([]);
  bus.isDown = false;
  await admit(SECOND, pageOfOrganization('B'));
  await admit(SECOND, pageOfOrganization('B'));
  expect(events).toHaveLength(1);
});

test('disturbs no running check by announcing an earlier change', async () => {
  const { admit, bus, events, memory, asked } = await worldOf();
  bus.isDown = true;
  await admit(SECOND, pageOfOrganization('B'));
  const { organization } = memory.read(CONNECTION);
  const records = ['a', 'b', 'c', 'd'];
  const whole = { ...pageOf(4, 1, 4), records };
  const sample = sampleOf({ resource: 'customers', query: {}, page: 1 }, whole, 0);
  memory.storeSample(CONNECTION, organization?.id ?? '', sample);
  bus.isDown = false;

  const third = { credential: 'v3/', keyVersion: 'v3' };
  const page: SampleAnswer<string> = { kind: 'page', page: whole };
  const admission = await admit(
    third,
    () => page,
    async () => void (await admit(SECOND, pageOfOrganization('B'))),
  );
  expect(admission).toMatchObject({ kind: 'admitted', organization: { id: organization?.id } });
  expect(asked()).toBe(2);
  // The same id whenever it is told: it may have been told before.
  expect(events.map((event) => event.id)).toEqual([
    `${CONNECTION}/organization-changed/${organization?.id}`,
  ]);
});

test('announces a change also when a caller died that checked another key', async () => {
  const { admit, bus, events, memory } = await worldOf();
  bus.isDown = true;
  await admit(SECOND, pageOfOrganization('B'));
  const { organization } = memory.read(CONNECTION);
  if (organization === undefined) throw new Error('expected an organization');
  const check = { credential: 'v3/', untilMs: 5_000 };
  memory.replaceOrganization(CONNECTION, { ...organization, check }, organization);
  bus.isDown = false;

  await admit(SECOND, pageOfOrganization('B'));
  expect(events).toHaveLength(1);
});

test('waits a second for a bus that does not answer, and leaves the change to the next caller', async () => {
  const { admit, bus, events, slept, memory } = await worldOf();
  const answer = bus.hang();

  expect(await admit(SECOND, pageOfOrganization('B'))).toMatchObject({ kind: 'admitted' });
  expect([events, slept]).toEqual([[], [1_000]]);
  expect(memory.read(CONNECTION)).toHaveProperty('organization.unannounced');

  bus.isDown = true;
  answer();
  await admit(SECOND, pageOfOrganization('B'));
  bus.isDown = false;
  await admit(SECOND, pageOfOrganization('B'));
  expect(events).toHaveLength(1);
  expect(memory.read(CONNECTION)).not.toHaveProperty('organization.unannounced');
});

test('notes that a change is told when a slow bus has taken it, though nobody waits for that', async () => {
  const { admit, bus, events, memory } = await worldOf();
  const answer = bus.hang();
  await admit(SECOND, pageOfOrganization('B'));

  answer();
  await new Promise(setImmediate);

  expect(events).toHaveLength(1);
  expect(memory.read(CONNECTION)).not.toHaveProperty('organization.unannounced');
  await admit(SECOND, pageOfOrganization('B'));
  expect(events).toHaveLength(1);
});

test.each([
  [{ kind: 'refused', status: 404, reason: 'client-error', message: '' }, true],
  // Nothing came of the API: other keys must not count as another organization for it.
  [{ kind: 'refused', reason: 'certificate', message: '' }, false],
  [{ kind: 'unavailable', reason: 'network', message: '' }, false],
] as const)('tells by the answer %j whether the API has such a page: %s', (outcome, expected) => {
  expect(isNoPage(outcome)).toBe(expected);
});

test('recognizes its own writes whose answers were lost', async () => {
  const { ports, memory, id } = await worldOf();
  let asked = 0;
  const lossy = {
    ...ports,
    gates: {
      ...ports.gates,
      read: ports.gates.read,
      replaceOrganization: async (...args: Parameters<typeof memory.replaceOrganization>) => {
        memory.replaceOrganization(...args);
        return false;
      },
    },
  };
  const gate = memory.read(CONNECTION);
  const ask = async () => {
    asked++;
    return pageOfOrganization('A')();
  };
  const admission = await admitKey(lossy, { connection: CONNECTION, candidate: SECOND, gate }, ask);
  expect(admission).toMatchObject({ kind: 'admitted', organization: { id } });
  expect(asked).toBe(1);
});
