import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Changing, Placeholders } from './placeholders.ts';
import {
  type Asked,
  type ConnectionName,
  keyOf,
  ODD_ANSWERS,
  type RecordedStack,
  startRecordedStack,
} from './recorded-stack.ts';
import { expectRecorded } from './recording.ts';
import { recordedFiles } from './stored-files.ts';

const SUITE_TIMEOUT_MS = 180_000;
const WRONG_KEY = 'key-that-is-wrong';
/** A write that waits for another key goes on with one of the same label. */
const labelled = (apiKey: string) => JSON.stringify({ apiKey, organization: 'late' });

const startedAtMs = Date.now();
let world: RecordedStack;

beforeAll(async () => {
  world = await startRecordedStack();
  await world.storeKeys({
    ...Object.fromEntries(WITH_KEY.map((name) => [name, keyOf(name)])),
    ...{ rejected: WRONG_KEY, late: labelled(WRONG_KEY), malformed: '{"apiKey": ""}' },
  });
}, SUITE_TIMEOUT_MS);

afterAll(() => world.close());

const WITH_KEY: readonly ConnectionName[] = [
  'demo',
  'desk',
  'broken',
  'patient',
  'waiting',
  'throttled',
  'odd',
  'slow',
  'small',
  'elsewhere',
];

/** Collects one recording: each value under what it is about. */
function recordingOf(others: readonly Changing[] = []) {
  const placeholders = new Placeholders(startedAtMs, others);
  const steps: object[] = [];
  const keep = (about: string, value: object) => steps.push({ about, ...value });
  return {
    keep,
    /** Asks, and keeps request and answer. */
    ask: async (about: string, path: string, asked: Asked = {}) => {
      const exchange = await world.ask(path, asked);
      keep(about, exchange);
      return exchange;
    },
    expectRecorded: (name: string) =>
      expectRecorded(
        name,
        steps.map((step) => placeholders.in(step)),
      ),
  };
}

const start = (key: string): Asked => ({ method: 'POST', headers: { 'idempotency-key': key } });
const exportsOf = (connection: ConnectionName) => `/connections/${connection}/exports`;

/** Waits for the event of an export; of a complete one until it is compared too, which its view shows. */
async function toldOf(connection: ConnectionName, detailType: string, exportId: string) {
  await world.told(connection, detailType, exportId);
  if (detailType === 'Export Completed') await world.told(connection, 'Changes Found', exportId);
}

/** Starts an export and waits for the event; gives its id. */
async function startedExport(
  recording: ReturnType<typeof recordingOf>,
  connection: ConnectionName,
  detailType: string,
  key = 'first',
): Promise<string> {
  const path = exportsOf(connection);
  const { body } = await recording.ask(`starts an export of ${connection}`, path, start(key));
  const { exportId } = Object(Object(body).export);
  await toldOf(connection, detailType, String(exportId));
  return String(exportId);
}

test(
  'an export that completes is started, shown, listed, stored and told as recorded',
  async () => {
    const recording = recordingOf([[/(?<=[?&]after=)[\w-]+/g, 'cursor']]);
    const { ask } = recording;
    const path = exportsOf('demo');
    await ask('lists no exports', path);
    const first = await startedExport(recording, 'demo', 'Export Completed');
    await ask('shows it', `${path}/${first}`);
    await ask('starts it again with the same Idempotency-Key', path, start('first'));
    const latestSchema = 'exports/connection=demo/list=customers/latest-schema.json';
    await world.seen('its report', async () => (await world.objects(latestSchema))[0]);
    const files = await world.objects('exports/connection=demo/');
    const second = await startedExport(recording, 'demo', 'Export Completed', 'second');
    // The index of exports may lag behind for a moment.
    await world.seen('both exports', async () => {
      const { body } = await world.ask(path);
      return Object(body).exports.length === 2 ? true : undefined;
    });
    await ask('lists all, newest first', path);
    const { body } = await world.ask(`${path}?limit=1`);
    const next = String(Object(body).next);
    recording.keep('lists a page', {
      ids: Object(body).exports.map((each: unknown) => Object(each).exportId),
      next: next === 'null' ? null : '<cursor>',
    });
    await ask('lists the page after it', `${path}?limit=1&after=${next}`);
    recording.expectRecorded('export-completed');

    const stored = recordingOf();
    for (const file of recordedFiles(files)) stored.keep('a stored object', file);
    for (const { name } of files) {
      stored.keep('is told of an object', { name, ...(await world.typeOf(name)) });
    }
    const latest = await world.objects('exports/connection=demo/list=customers/latest.json');
    stored.keep('names the second export as the newest', { files: recordedFiles(latest) });
    stored.expectRecorded('export-files');

    expect(files.filter(({ name }) => name.includes(first)).length).toBe(7);
    expect(second).not.toBe(first);
  },
  SUITE_TIMEOUT_MS,
);

test(
  'exports that fail, halt and wait for long are shown as recorded',
  async () => {
    const recording = recordingOf();
    const { ask } = recording;
    for (const connection of ['broken', 'patient'] as const) {
      const id = await startedExport(recording, connection, 'Export Failed');
      await ask(`shows the failed export of ${connection}`, `${exportsOf(connection)}/${id}`);
    }
    const long = await startedExport(recording, 'waiting', 'Export Throttled Long');
    await ask('shows the export that waits', `${exportsOf('waiting')}/${long}`);
    await ask('joins the export that waits', exportsOf('waiting'), { method: 'POST' });
    await ask('joins it with another Idempotency-Key', exportsOf('waiting'), start('other'));
    await ask('lists the export that waits', exportsOf('waiting'));

    const held = await startedExport(recording, 'rejected', 'Export Halted');
    await ask('shows the halted export', `${exportsOf('rejected')}/${held}`);
    await ask('starts nothing while the key is rejected', exportsOf('rejected'), start('other'));
    await ask('reads nothing while the key is rejected', '/connections/rejected/customers');
    world.storeKey('rejected');
    await toldOf('rejected', 'Export Completed', held);
    await ask('shows the export that went on with a new key', `${exportsOf('rejected')}/${held}`);
    recording.expectRecorded('export-not-completed');
  },
  SUITE_TIMEOUT_MS,
);

test(
  'live pages and what can be wrong with them are answered as recorded',
  async () => {
    const recording = recordingOf();
    const { ask } = recording;
    await ask('reads a page', '/connections/demo/customers?page=2&per_page=2');
    await ask('reads behind the end', '/connections/demo/customers?page=999&per_page=2');
    for (const fault of ODD_ANSWERS) {
      // Each on its own, as a request that is sent again on a new connection must not meet the next one.
      world.play({ when: { organization: 'odd' }, fault });
      await ask(`meets ${JSON.stringify(fault)}`, '/connections/odd/customers?per_page=1');
    }
    await ask('meets no answer in time', '/connections/slow/customers');
    await ask('meets a page that is too large', '/connections/small/customers');
    await ask('meets nobody', '/connections/elsewhere/customers');
    await ask('is throttled', '/connections/throttled/customers');
    const during = await world.ask('/connections/throttled/customers');
    recording.keep('asks during the wait', withoutRest(during));
    await ask('has no key', '/connections/keyless/customers');
    await ask('has a key that can be none', '/connections/malformed/customers');
    recording.expectRecorded('live-pages');
  },
  SUITE_TIMEOUT_MS,
);

/** What is left of a wait depends on when somebody asks. */
function withoutRest(exchange: object): object {
  const text = JSON.stringify(exchange)
    .replace(/(?<="retry-after":")\d+/, '<rest of the wait>')
    .replace(/(?<=asks to wait )\d+/, '<rest of the wait>')
    .replace(/(?<="retryAfterSeconds":)\d+/, '"<rest of the wait>"');
  return JSON.parse(text);
}

const customers = '/connections/demo/customers';
test('wrong requests are answered as recorded', async () => {
  const recording = recordingOf();
  const { ask } = recording;
  const path = exportsOf('demo');
  await ask('an unknown connection', '/connections/nobody/exports');
  await ask('a name that no connection can have', '/connections/No_Body/exports');
  await ask('an unknown export', `${path}/request-00000000000000000000`);
  await ask('an id that no export can have', `${path}/-`);
  await ask('a query where there is none', `${path}/request-1?page=1`);
  await ask('a limit that is too small', `${path}?limit=0`);
  await ask('a limit that is too large', `${path}?limit=101`);
  await ask('a limit that is no number', `${path}?limit=ten`);
  await ask('a foreign cursor', `${path}?after=abc`);
  await ask('an unknown parameter', `${path}?offset=1`);
  await ask('a body where there is none', path, { method: 'POST', body: { perPage: 1 } });
  await ask('an Idempotency-Key with a blank', path, start('a b'));
  await ask('a start with a query', `${path}?now=1`, { method: 'POST' });
  await ask('a page that is no number', `${customers}?page=first`);
  await ask('a page that is too small', `${customers}?per_page=0`);
  await ask('a page that is too large', `${customers}?per_page=10001`);
  await ask('an unknown path', '/nowhere');
  await ask('a method that the route has not', customers, { method: 'DELETE' });
  await ask('a path that cannot be read', '/connections/%zz/exports');
  await ask('a page of another site', path, { headers: { origin: 'https://example.com' } });
  recording.expectRecorded('wrong-requests');
});

test('functions answer what reaches them past the gateway as recorded', async () => {
  const recording = recordingOf();
  const event = (method: string, path: string) => ({
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: {},
    requestContext: { http: { method, path }, stage: '$default' },
    isBase64Encoded: false,
  });
  const invoke = async (about: string, function_: string, payload: object) =>
    recording.keep(about, { payload, answer: await world.invoke(function_, payload) });
  const api = 'CustomersHttpApiFunction';
  await invoke('an unknown route', api, event('GET', '/nowhere'));
  await invoke('a method that the route has not', api, event('DELETE', customers));
  await invoke('an event of another form', api, { ...event('GET', customers), version: '1.0' });
  const settlement = '/connections/desk/writes/any/settlement';
  const body = '{"attempt":1,"decision":"done"}';
  await invoke('nobody who settles', api, { ...event('POST', settlement), body });

  const starts = 'CustomersStartExport';
  const trigger = { kind: 'request', idempotencyKey: 'first' };
  await invoke('a start of an export', starts, { connection: 'keyless', trigger });
  await invoke('an unknown connection', starts, { connection: 'nobody' });
  await invoke('no connection', starts, {});
  await invoke('an unknown member', starts, { connection: 'demo', page: 1 });
  recording.expectRecorded('functions');
});

test(
  'writes are asked for, shown, settled and refused as recorded',
  async () => {
    const recording = recordingOf();
    const { ask } = recording;
    const path = '/connections/desk/writes';
    const post = (body: object, headers: Readonly<Record<string, string>> = {}): Asked => ({
      method: 'POST',
      headers,
      body,
    });
    const plainly = (writeId: string) =>
      post({ writeId, operation: 'create-plainly', body: { name: 'Ada' } });
    const key = { 'idempotency-key': 'first' };
    const first = { operation: 'create', body: { name: 'Ada' }, orderKey: 'one-by-one' };

    await ask('lists no unclear writes', `${path}?status=unclear`);
    await ask('accepts a write', path, post(first, key));
    await world.told('desk', 'Write Done', 'first');
    await ask('shows it done', `${path}/first`);
    await ask('knows it when asked again', path, post(first, key));
    await ask('refuses another with its id', path, post({ ...first, body: {} }, key));

    const once = { organization: 'desk', method: 'POST' } as const;
    const taken = { status: 422, body: { error: { code: 'name_taken' } } };
    world.play({ when: once, times: 1, fault: { kind: 'status', ...taken } });
    await ask('accepts one that the API refuses', path, post({ ...first, writeId: 'bad' }));
    await world.told('desk', 'Write Refused', 'bad');
    await ask('shows it refused', `${path}/bad`);

    world.play(
      { when: once, times: 2, fault: { kind: 'lose-answer' } },
      { when: { organization: 'desk', method: 'PATCH' }, times: 1, fault: { kind: 'lose-answer' } },
    );
    for (const id of ['lost', 'again']) {
      await ask('accepts one whose answer is lost', path, plainly(id));
      await world.told('desk', 'Write Unclear', id);
    }
    await ask('shows it unclear', `${path}/lost`);
    await world.seen('both unclear writes', async () => {
      const { body } = await world.ask(path);
      return Object(body).writes.length === 2 ? true : undefined;
    });
    await ask('lists the unclear writes', `${path}?status=unclear`);

    const settle = (id: string) => `${path}/${id}/settlement`;
    const { body } = await world.ask(`${path}/lost`);
    const { attempt } = Object(body);
    const done = { attempt, decision: 'done', note: 'Looked it up' };
    await ask('settles no other attempt', settle('lost'), post({ ...done, attempt: attempt + 1 }));
    await ask('knows no such decision', settle('lost'), post({ ...done, decision: 'maybe' }));
    await ask('needs an attempt', settle('lost'), post({ decision: 'done' }));
    await ask('settles no unknown write', settle('unknown'), post(done));
    await ask('settles it as done', settle('lost'), post(done));
    await ask('settles it once', settle('lost'), post(done));
    await ask(
      'settles one to be sent again',
      settle('again'),
      post({ attempt, decision: 'retry' }),
    );
    await world.told('desk', 'Write Done', 'again');
    await ask('shows it done after that', `${path}/again`);

    const page = await world.ask('/connections/desk/customers?per_page=1');
    // As text, since the number has more digits than a JSON number keeps.
    const [, id = ''] = /"id":"?(\w+)/.exec(String(page.body)) ?? [];
    const rename = {
      writeId: 'renamed',
      operation: 'rename',
      params: { id },
      body: { name: 'Eve' },
    };
    await ask('accepts one that is checked', path, post(rename));
    await world.told('desk', 'Write Done', 'renamed');
    await ask('shows it done by a check', `${path}/renamed`);

    const late = '/connections/late/writes';
    const held = post({ writeId: 'held', operation: 'create', body: { name: 'Ada' } });
    await ask('accepts one for a key that will be rejected', late, held);
    await world.seen('a write that waits for a key', async () => {
      const answer = await world.ask(`${late}/held`);
      return Object(answer.body).waitsForKey === true ? true : undefined;
    });
    // Only when everything about the old key is done does anyone bring a new one.
    await world.stack.idle();
    await ask('shows it waiting for a key', `${late}/held`);
    await ask('joins it while it waits', late, held);
    await world.stack.idle();
    world.storeKey('late', labelled(keyOf('late')));
    await world.told('late', 'Write Done', 'held');
    await ask('shows it done with a new key', `${late}/held`);

    await ask('knows no such write', `${path}/unknown`);
    await ask('lists unclear ones only', `${path}?status=done`);
    await ask('knows no such parameter', `${path}?limit=1`);
    await ask('needs an id', path, post(first));
    await ask('needs one id', path, post({ ...first, writeId: 'other' }, key));
    await ask('needs an id that can be one', path, post({ ...first, writeId: 'a b' }));
    await ask('knows no such operation', path, post({ writeId: 'x', operation: 'destroy' }));
    await ask('needs an operation', path, post({ writeId: 'x' }));
    await ask('needs the params', path, post({ writeId: 'x', operation: 'rename', body: {} }));
    await ask('knows no such member', path, post({ ...first, writeId: 'x', page: 1 }));
    await ask('needs an object', path, { method: 'POST', body: '[]' });
    await ask('needs JSON', path, { method: 'POST', body: 'name=Ada' });
    const type = { 'content-type': 'application/octet-stream' };
    const bytes = JSON.stringify({ ...first, writeId: 'first' });
    await ask('reads JSON of any type', path, { method: 'POST', headers: type, body: bytes });
    recording.expectRecorded('writes');
  },
  SUITE_TIMEOUT_MS,
);

test('the events that left are the recorded ones', () => {
  const connections: readonly ConnectionName[] = [
    'demo',
    'broken',
    'patient',
    'waiting',
    'rejected',
    'desk',
    'late',
  ];
  for (const connection of connections) {
    const recording = recordingOf();
    for (const event of world.eventsOf(connection)) recording.keep('an event', event);
    recording.expectRecorded(`events-${connection}`);
  }
});

test('nothing of that was refused by the roles', () => {
  expect(world.stack.denied).toEqual([]);
});
