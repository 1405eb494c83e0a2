import { checkLog } from '../../infra/simulator/check-log.ts';
import { ListHistory } from '../../infra/simulator/list-history.ts';
import { DEMO_KEY } from '../../infra/simulator/options.ts';
import { trust } from '../../infra/simulator/trust.ts';
import { startTrustedSimulator } from '../trusted-simulator.ts';
import type { Door } from './walk-door.ts';

const simulator = startTrustedSimulator({ customers: 3 });
/** Each starts a server: it is closed again. */
const started = async (options: unknown) => {
  const made = await Reflect.apply(startTrustedSimulator, undefined, [options]);
  await made.close();
};
const ofSimulator =
  (method: string) =>
  async (...args: readonly unknown[]) =>
    Reflect.apply(Reflect.get(await simulator, method), undefined, [...args]);

/** The certificate is made when the simulator is. */
const trusting = async (caPem: unknown) => {
  const own = caPem === 'its own' ? (await simulator).caPem : caPem;
  Reflect.apply(trust, undefined, [own]);
};

const entry = { n: 1, at: 0, keyId: 'a/1', status: 200 };
const history = new ListHistory(new Map([['1', '{"id":1}']]), []);
const ofHistory =
  (method: string) =>
  (...args: readonly unknown[]) =>
    Reflect.apply(Reflect.get(history, method), history, [...args]);

const KEY_AND_RESOURCE = {
  given: { key: DEMO_KEY, resource: 'customers' },
  needed: ['key'],
};
const EDIT = { inserts: 1, deletes: 1, updates: 1 };
const PERIOD = { fromMs: 0, toMs: 1 };
const TIME = ['negative', 'fraction', 'huge', 'zero'];

const COUNT = ['zero'];
const RECORDS = new Map([['1', '{"id":1}']]);

function inEdit(place: string) {
  return Object.fromEntries(Object.keys(EDIT).map((name) => [`${place}.${name}`, COUNT]));
}

function inPeriods(...places: readonly string[]) {
  const times = places.flatMap((place) => [`${place}.fromMs`, `${place}.toMs`]);
  return {
    needed: [...places, ...times],
    takes: Object.fromEntries(times.map((time) => [time, TIME])),
  };
}

export const TESTING_DOORS: readonly Door[] = [
  {
    name: 'checkLog',
    types: { options: 'LogCheckOptions' },
    call: checkLog,
    given: { entries: [entry], options: { flightMs: 1 } },
    needed: ['entries'],
    takes: {
      entries: ['empty list'],
      options: ['empty object'],
      'options.flightMs': ['fraction', 'huge', 'zero'],
    },
  },
  { name: 'trust', call: trusting, given: { caPem: 'its own' }, needed: ['caPem'] },
  {
    name: 'startSimulator',
    types: { options: 'SimulatorOptions' },
    call: started,
    given: {
      options: {
        customers: 1,
        invoices: 1,
        subscriptions: 1,
        seed: 1,
        port: 0,
        basePath: '',
        keyHeader: 'API-KEY',
        perPage: 1,
        maxPerPage: 1,
        perPageRule: 'any',
        perPageSizes: [10],
        firstPage: 1,
        order: 'rising',
        meta: 'rails',
        pretty: false,
        limit: { kind: 'token-bucket', ratePerSecond: 1, burst: 1 },
        rateLimitHeaders: 'none',
        retryAfter: 'seconds',
        latencyMs: 0,
        organizations: [],
        faults: [],
        change: { ...EDIT, everyRequests: 1 },
        now: Date.now,
        onLogged: () => undefined,
        onChanged: () => undefined,
      },
    },
    needed: [
      ...['kind', 'ratePerSecond', 'burst'].map((name) => `options.limit.${name}`),
      ...['inserts', 'deletes', 'everyRequests'].map((name) => `options.change.${name}`),
    ],
    takes: {
      options: ['empty object'],
      'options.customers': COUNT,
      'options.invoices': COUNT,
      'options.subscriptions': COUNT,
      'options.seed': COUNT,
      'options.port': COUNT,
      'options.basePath': ['empty text'],
      'options.keyHeader': ['long text', 'text'],
      'options.firstPage': COUNT,
      'options.pretty': ['true'],
      'options.limit.ratePerSecond': ['fraction'],
      'options.limit.burst': ['fraction'],
      'options.latencyMs': ['fraction', ...COUNT],
      'options.organizations': ['empty list'],
      'options.faults': ['empty list'],
      ...inEdit('options.change'),
      'options.now': ['function'],
      'options.onLogged': ['function'],
      'options.onChanged': ['function'],
    },
  },
  {
    name: 'simulator.customersOf',
    call: ofSimulator('customersOf'),
    given: { key: DEMO_KEY },
    needed: ['key'],
  },
  {
    name: 'simulator.recordsOf',
    call: ofSimulator('recordsOf'),
    given: { key: DEMO_KEY, resource: 'invoices', query: { status: 'open' } },
    needed: ['key', 'resource'],
    takes: { query: ['empty object'] },
  },
  { name: 'simulator.changesOf', call: ofSimulator('changesOf'), ...KEY_AND_RESOURCE },
  { name: 'simulator.historyOf', call: ofSimulator('historyOf'), ...KEY_AND_RESOURCE },
  {
    name: 'simulator.edit',
    types: { edit: 'ListEdit' },
    call: ofSimulator('edit'),
    given: { key: DEMO_KEY, edit: { inserts: 0, deletes: 0, updates: 0 }, resource: 'customers' },
    needed: ['key', 'edit', 'edit.inserts', 'edit.deletes'],
    takes: inEdit('edit'),
  },
  {
    name: 'simulator.setChange',
    types: { change: 'ListChange' },
    call: ofSimulator('setChange'),
    given: { change: { ...EDIT, everyRequests: 1 } },
    needed: ['change.inserts', 'change.deletes', 'change.everyRequests'],
    takes: inEdit('change'),
  },
  {
    name: 'simulator.setFaults',
    call: ofSimulator('setFaults'),
    given: { faults: [] },
    needed: ['faults'],
    takes: { faults: ['empty list'] },
  },
  {
    name: 'simulator.setKeyStatus',
    call: ofSimulator('setKeyStatus'),
    given: { key: DEMO_KEY, status: 'active' },
    needed: ['key', 'status'],
  },
  { name: 'simulator.close', call: () => started({}), given: {} },
  { name: 'simulator.resetLog', call: ofSimulator('resetLog'), given: {} },
  {
    name: 'history.recordsAt',
    call: ofHistory('recordsAt'),
    given: { ms: 0 },
    needed: ['ms'],
    takes: { ms: TIME },
  },
  ...['throughout', 'textsIn'].map((method) => ({
    name: `history.${method}`,
    call: ofHistory(method),
    given: { period: PERIOD },
    ...inPeriods('period'),
  })),
  {
    name: 'history.between',
    call: ofHistory('between'),
    given: PERIOD,
    needed: ['fromMs', 'toMs'],
    takes: { fromMs: TIME, toMs: TIME },
  },
  {
    name: 'history.compare',
    call: ofHistory('compare'),
    given: { one: PERIOD, other: PERIOD },
    ...inPeriods('one', 'other'),
  },
  {
    name: 'history.mayBeRead',
    call: ofHistory('mayBeRead'),
    given: { period: PERIOD, records: RECORDS },
    ...inPeriods('period'),
    needed: [...inPeriods('period').needed, 'records'],
  },
];

export const testingObjects = async () => ({
  simulator: await simulator,
  history: ListHistory.prototype,
});
export const endTesting = async () => (await simulator).close();
