import { afterEach, expect, test } from '@jest/globals';
import { LIST_ORDERS, type ListOrder } from '../../../infra/simulator/list-order.ts';
import { DEMO_KEY } from '../../../infra/simulator/options.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import { ask, write } from './ask.ts';

const CUSTOMERS = 40;
let simulator: Simulator;

afterEach(() => simulator.close());

const idOf = (text: string) => BigInt(/\d+/.exec(text)?.[0] ?? 0);
const idsNow = () => simulator.customersOf(DEMO_KEY).map(idOf);
const rising = (ids: readonly bigint[]) => [...ids].sort((a, b) => (a < b ? -1 : 1));

/** Where records with these ids stand now: at the start, at the end, or somewhere. */
function placeOf(ids: readonly bigint[]) {
  const now = idsNow();
  const at = ids.map((id) => now.indexOf(id));
  if (at.every((position) => position < ids.length)) return 'first';
  return at.every((position) => position >= now.length - ids.length) ? 'last' : 'anywhere';
}

async function start(order: ListOrder) {
  simulator = await startSimulator({ customers: CUSTOMERS, order });
}

const idsOfChanges = (action: string) =>
  simulator.changesOf(DEMO_KEY).flatMap((each) => (each.action === action ? BigInt(each.id) : []));

const NONE = { inserts: 0, deletes: 0, updates: 0 };

test.each(LIST_ORDERS)('%s has every record once', async (order) => {
  await start(order);

  const ids = idsNow();

  expect(new Set(ids).size).toBe(CUSTOMERS);
  const byId = rising(ids);
  const isById = [byId, byId.toReversed()].some((each) => `${each}` === `${ids}`);
  expect(isById).toBe(order === 'rising' || order === 'falling');
});

test.each<[ListOrder, string, string]>([
  ['rising', 'last', 'stay'],
  ['falling', 'first', 'stay'],
  ['by-last-edit', 'first', 'first'],
  ['by-last-edit-rising', 'last', 'last'],
  ['fixed', 'anywhere', 'stay'],
  ['by-value', 'anywhere', 'anywhere'],
])('%s: new records come %s, edited ones %s', async (order, ofNew, ofEdited) => {
  await start(order);

  simulator.edit(DEMO_KEY, { ...NONE, inserts: 5 });
  expect(placeOf(idsOfChanges('inserted'))).toBe(ofNew);
  const before = idsNow();
  simulator.edit(DEMO_KEY, { ...NONE, updates: 5 });
  const edited = [...new Set(idsOfChanges('updated'))];
  if (ofEdited === 'stay') expect(idsNow()).toEqual(before);
  else expect(placeOf(edited)).toBe(ofEdited);

  // All others keep their places among each other, also when some go.
  const others = (ids: readonly bigint[]) => ids.filter((id) => !edited.includes(id));
  expect(others(idsNow())).toEqual(others(before));
  const after = idsNow();
  simulator.edit(DEMO_KEY, { ...NONE, deletes: 5 });
  const gone = new Set(idsOfChanges('deleted'));
  expect(idsNow()).toEqual(after.filter((id) => !gone.has(id)));
  expect(gone.size).toBe(5);
});

test.each<[ListOrder, 1 | -1]>([
  ['by-last-edit', -1],
  ['by-last-edit-rising', 1],
])('%s: records show when they were edited, each at another time', async (order, direction) => {
  await start(order);
  const [first = ''] = simulator.customersOf(DEMO_KEY);
  const path = `/2.0/customers/${idOf(first)}`;
  const times = () =>
    simulator.customersOf(DEMO_KEY).map((text) => Date.parse(JSON.parse(text).updated_at));
  const isStrict = () => {
    const now = times();
    return now.every((ms, index) => index === 0 || (ms - (now[index - 1] ?? 0)) * direction > 0);
  };

  expect(isStrict()).toBe(true);
  simulator.edit(DEMO_KEY, { inserts: 5, deletes: 5, updates: 10 });
  // A write cannot say when it was, and what it wrote is edited again like any other.
  await ask(simulator, path, write('PATCH', '{"updated_at":"2001-01-01T00:00:00Z","name":"New"}'));
  await ask(simulator, '/2.0/customers', write('POST', '{"updated_at":null}'));
  simulator.edit(DEMO_KEY, { ...NONE, updates: 60 });
  expect(isStrict()).toBe(true);

  const texts = [...simulator.historyOf(DEMO_KEY).recordsAt(Date.now()).values()].toSorted();
  expect(texts).toEqual([...simulator.customersOf(DEMO_KEY)].sort());
});

test('other orders do not show it', async () => {
  await start('by-value');

  simulator.edit(DEMO_KEY, { ...NONE, updates: 1 });

  expect(simulator.customersOf(DEMO_KEY).join()).not.toContain('updated_at');
});

test('all lists have the order', async () => {
  await start('falling');

  const invoices = simulator.recordsOf(DEMO_KEY, 'invoices').map(idOf);

  expect(invoices).toEqual(rising(invoices).toReversed());
});
