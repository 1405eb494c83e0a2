import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isDeep, tried } from '../../../deep/depth.ts';
import { Case, SITUATIONS } from './key-change.ts';
import { type Changed, startOrganizationWorld } from './organization-world.ts';

// `npm test` has the same changes of keys at every call in `test/faults/organizations.test.ts`, without processes.
const testDeep = isDeep ? test : test.skip;
const SUITE_TIMEOUT_MS = 900_000;
/** Most of their time is waiting. */
const AT_ONCE = 6;
const switches = SITUATIONS.map((situation) => new Case(situation, 'switch'));
const rotations = SITUATIONS.map((situation) => new Case(situation, 'rotation'));
const titled = (cases: readonly Case[]) =>
  cases.map((each) => [each.situation.name, each] as const);

let world: Awaited<ReturnType<typeof startOrganizationWorld>>;
const runs = new Map<Case, Promise<Changed>>();

beforeAll(async () => {
  const cases = [...switches, ...rotations];
  world = await startOrganizationWorld(cases);
  const isAlone = ({ situation }: Case) => situation.pause === 'kill';
  const together = cases.filter((each) => !isAlone(each));
  for (const [index, each] of together.entries()) {
    const before = together[index - AT_ONCE];
    const ended = Promise.allSettled([before && runs.get(before)]);
    runs.set(
      each,
      ended.then(() => world.run(each)),
    );
  }
  // A worker of another export must not be killed.
  let before: Promise<unknown> = Promise.allSettled(runs.values());
  for (const each of cases.filter(isAlone)) {
    const run = before.then(() => world.run(each));
    before = run.catch(() => {});
    runs.set(each, run);
  }
  for (const run of runs.values()) run.catch(() => {});
}, SUITE_TIMEOUT_MS);
afterAll(() => world.close());

async function changed(each: Case): Promise<Changed> {
  const run = await runs.get(each);
  if (run === undefined) throw new Error(`${each.connection} was not run`);
  return run;
}

/** Each write that the API carried out, and the key. */
const carriedOut = ({ log }: Pick<Changed, 'log'>) =>
  log.flatMap(({ keyId, effect }) =>
    effect?.reference === undefined ? [] : [[keyId, effect.reference]],
  );

testDeep.each(titled(switches))(
  'the key of another organization %s mixes nothing',
  async (_, each) => {
    const result = await changed(each);
    const { connection, organizations, situation } = each;
    const { state, successor, write, events } = result;

    const reason = { code: 'organization-changed' };
    expect(state).toMatchObject({ status: 'failed', reason });
    expect(state.counters.pages).toBeGreaterThan(0);
    expect(successor).toMatchObject({ status: 'completed' });
    expect(result.records).toEqual(world.customersOf(each));
    expect(result.organizationId).toBe(successor?.organizationId);
    expect(result.organizationId).not.toBe(state.organizationId);

    const former = [`${organizations.former}/1`, 'first'];
    expect(write).toMatchObject({ status: 'unclear', reason });
    expect(carriedOut(result)).toEqual([former]);
    expect(events('Write Unclear')).toContainEqual(
      expect.objectContaining({ writeId: 'second', reasonCode: 'organization-changed' }),
    );
    expect(events('Export Failed')).toMatchObject([{ reasonCode: 'organization-changed' }]);
    expect(events('Organization Changed')).toMatchObject([
      {
        shownBy: situation.hasLabels ? 'label' : 'sample',
        previousOrganizationId: state.organizationId,
        organizationId: successor?.organizationId,
      },
    ]);

    const decision = situation.pause === 'halt' ? 'retry' : 'drop';
    await world.settle(connection, write, decision);
    const status = decision === 'retry' ? 'done' : 'refused';
    await world.untilWrite(connection, 'second', (now) => now.closed && now.status === status);
    const settled = decision === 'retry' ? [[`${organizations.next}/1`, 'second']] : [];
    expect(carriedOut({ log: world.logOf(each) })).toEqual([former, ...settled]);
    tried('switches of the key on the whole stack', 1);
  },
  SUITE_TIMEOUT_MS,
);

testDeep.each(titled(rotations))(
  'a rotation %s restarts nothing',
  async (_, each) => {
    const result = await changed(each);
    const { organizations, situation, isEmpty } = each;
    const { state, successor, write, events } = result;

    expect(state).toMatchObject({ status: 'completed' });
    expect(successor).toBeUndefined();
    expect(result.records).toEqual(world.customersOf(each));
    // The page of the sample, by the new key.
    expect(result.repeated.slice(situation.hasLabels ? 0 : 1)).toEqual([]);
    // Nothing shows that keys before and after an empty list are of one organization.
    expect(state.keyVersions).toHaveLength(isEmpty ? 1 : 2);
    const first = [`${organizations.former}/1`, 'first'];
    tried('rotations of the key on the whole stack', 1);
    if (isEmpty) {
      // There is nothing to compare: the write waits for a person.
      expect(write).toMatchObject({ status: 'unclear', reason: { code: 'organization-changed' } });
      expect(events('Organization Changed')).toMatchObject([{ shownBy: 'nothing' }]);
      expect(carriedOut(result)).toEqual([first]);
      return;
    }
    expect(events('Organization Changed')).toEqual([]);
    expect(write.status).toBe('done');
    expect(carriedOut(result)).toEqual([first, [`${organizations.next}/2`, 'second']]);
  },
  SUITE_TIMEOUT_MS,
);
