import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../../lib/doctor/decide.ts';
import { connectionSettingsFor } from '../../../lib/doctor/doctor-settings.ts';
import { notLearnedOf } from '../../../lib/doctor/not-learned.ts';
import { connectionListsOf } from '../../../lib/exports/connection-lists.ts';
import { amountOf } from '../../deep/depth.ts';
import { DIALECTS, modelOf } from './dialects.ts';
import { examineModel, KEY, KEY_PART } from './examined.ts';
import { type ListAnswer, ModelList, type ModelOptions, risingRecord } from './model-list.ts';

/** As docs/doctor.md promises. */
const MOST_READS = 10;

const BODY: ModelOptions['body'] = (records, { total }) =>
  `{"customers":${records},"meta":{"total":${total}}}`;
const MODEL = new ModelList({ body: BODY });
const json = (value: unknown): ListAnswer => ({ status: 200, body: JSON.stringify(value) });
const status = (code: number, headers = {}): ListAnswer => ({ status: code, body: '{}', headers });

test('asks for pages and sizes that tell most, one after the other', async () => {
  const { requests } = await examineModel((question) => MODEL.answer(question));

  expect(requests.map(({ question: { page, perPage } }) => [page, perPage])).toEqual([
    [1, 100],
    [0, 100],
    [2, 100],
    [10, 100],
    [11, 100],
    [1, 97],
    [1, 1_000],
  ]);
});

test.each([401, 403])('stops at a %i, after that request and no other', async (code) => {
  for (const before of [0, 1, 4]) {
    const { profile, requests } = await examineModel((question, count) =>
      count === before ? status(code) : MODEL.answer(question),
    );

    expect(requests).toHaveLength(before + 1);
    expect(profile).toMatchObject({ ending: 'authentication-failure', problem: { status: code } });
    expect(profile.list === undefined).toBe(before === 0);
  }
});

test.each<[string, () => ListAnswer | Error, object, number]>([
  ['a wrong path', () => status(404), { ending: 'refused', problem: { status: 404 } }, 3],
  ['a method that is not allowed', () => status(405), { ending: 'refused' }, 1],
  [
    'a redirect',
    () => status(302, { location: 'https://elsewhere.example/' }),
    { ending: 'refused', problem: { reason: 'redirect' } },
    1,
  ],
  [
    'a page of HTML',
    () => ({ status: 200, body: '<html></html>', headers: { 'content-type': 'text/html' } }),
    { ending: 'refused', problem: { reason: 'not-json' } },
    1,
  ],
  [
    'an error with status 200',
    () => json({ error: { code: 'no' } }),
    { ending: 'refused', problem: { reason: 'error-body' } },
    1,
  ],
  [
    'an object without a list',
    () => json({ id: 1, name: 'x' }),
    { ending: 'refused', problem: { reason: 'items-missing' } },
    1,
  ],
  [
    'the key',
    () => json({ customers: [{ id: 1, echo: KEY }] }),
    { ending: 'refused', problem: { reason: 'key-echo' } },
    1,
  ],
  [
    'a certificate that is not trusted',
    () => Object.assign(new Error('no'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
    { ending: 'refused', problem: { reason: 'certificate' } },
    1,
  ],
  [
    'a host that is not found',
    () => Object.assign(new Error('no'), { code: 'ENOTFOUND' }),
    { ending: 'unavailable' },
    1,
  ],
  [
    'a connection that breaks',
    () => Object.assign(new Error('no'), { code: 'ECONNRESET' }),
    { ending: 'unavailable' },
    1,
  ],
  ['a failure that stays', () => status(503), { ending: 'unavailable' }, 2],
])('ends with %s as answer, and says so', async (_, answer, expected, requested) => {
  const { profile, requests } = await examineModel(answer);

  expect(profile).toMatchObject(expected);
  expect(profile.list).toBeUndefined();
  expect(requests).toHaveLength(requested);
  expect(notLearnedOf(profile)).toMatchObject([{ what: 'list' }]);
  expect(JSON.stringify(profile)).not.toContain(KEY_PART);
});

test.each<[string, () => ListAnswer | Error]>([
  ['a redirect', () => status(302, { location: 'https://elsewhere.example/' })],
  ['the key', () => json({ customers: [{ id: 1, echo: KEY }] })],
  [
    'a certificate that is not trusted',
    () => Object.assign(new Error('no'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  ],
])('asks nothing more after %s, though a page came before', async (_, answer) => {
  const { profile, requests } = await examineModel((question, before) =>
    before === 1 ? answer() : MODEL.answer(question),
  );

  expect(requests).toHaveLength(2);
  expect(profile.ending).toBe('refused');
});

test('asks again two seconds after a failure that passes', async () => {
  const { requests } = await examineModel((question, before) =>
    before === 1 ? status(503) : MODEL.answer(question),
  );

  const [, failed, again] = requests;
  expect(again?.question).toEqual(failed?.question);
  expect((again?.atMs ?? 0) - (failed?.atMs ?? 0)).toBe(2_040);
});

test('waits no longer in all than is sat out', async () => {
  const { profile, requests } = await examineModel(() => status(429, { 'retry-after': '30' }), {
    maxWaitSeconds: 100,
  });

  expect(requests).toHaveLength(4);
  expect(profile).toMatchObject({ ending: 'wait-too-long', waitSeconds: 30, waitedSeconds: 90 });
});

test('reads smaller pages where one of a hundred is larger than is read', async () => {
  const large = new ModelList({
    body: BODY,
    record: (at) => risingRecord(at).replace('}', `,"notes":"${'x'.repeat(190_000)}"}`),
    total: 90,
    pageZero: 'first',
  });
  const { profile, requests } = await examineModel((question) => large.answer(question));

  expect(requests.length).toBeLessThanOrEqual(MOST_READS);
  expect(requests[1]?.question).toEqual({ page: 1, perPage: 10 });
  expect(profile.list?.cost.records).toBe(10);
  const settings = profile.list && connectionSettingsFor(profile.list, EXAMINED);
  expect(settings).toMatchObject({ perPage: 10 });
});

const EXAMINED = { baseUrl: 'https://api.example.com', resource: 'customers', query: {} };

test('waits as the API asks, and asks the same again', async () => {
  const { profile, requests } = await examineModel((question, before) =>
    before === 0 ? status(429, { 'retry-after': '30' }) : MODEL.answer(question),
  );

  const [first, second] = requests;
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(30_000);
  expect(second?.question).toEqual(first?.question);
  expect(profile).toMatchObject({
    ending: 'all-asked',
    waitedSeconds: 30,
    limits: {
      throttles: [{ status: 429, header: 'Retry-After', form: 'seconds', waitSeconds: 30 }],
    },
  });
});

test.each([
  ['a throttle', (): ListAnswer => status(429, { 'retry-after': '600' })],
  [
    'a page',
    (): ListAnswer => ({ ...json({ customers: [{ id: 1 }] }), headers: { 'retry-after': '600' } }),
  ],
  [
    'a page that uses up the limit',
    (): ListAnswer => ({
      ...json({ customers: [{ id: 1 }] }),
      headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': '600' },
    }),
  ],
])('asks nothing more where %s asks for a longer wait than is sat out', async (_, answer) => {
  const { profile, requests } = await examineModel(answer);

  expect(requests).toHaveLength(1);
  expect(profile).toMatchObject({ ending: 'wait-too-long', waitSeconds: 600 });
});

test('an API that throttles each read is asked ten times, and no time early', async () => {
  const { profile, requests } = await examineModel(() => status(429, { 'retry-after': '3' }));

  expect(requests).toHaveLength(MOST_READS);
  expect(profile.ending).toBe('reads-used-up');
});

test('an API that never ends is told, and is not followed', async () => {
  const { profile, requests } = await examineModel(({ page = 1, perPage = 100 }) =>
    json({
      customers: Array.from({ length: perPage }, (_, at) => ({ id: (page ?? 1) * 10_000 + at })),
    }),
  );

  expect(requests.length).toBeLessThanOrEqual(MOST_READS);
  expect(profile.list?.end).toEqual({ pastEnd: 'records' });
  expect(notLearnedOf(profile)).toContainEqual({ what: 'end', why: 'list-is-endless' });
});

test('a clock that differs is told', async () => {
  const { profile } = await examineModel((question) => ({
    ...MODEL.answer(question),
    headers: { date: new Date(1_700_000_090_000).toUTCString() },
  }));

  expect(profile.clockAheadSeconds).toBeGreaterThanOrEqual(80);
});

test('a header of limits that holds the key is left out', async () => {
  const { profile } = await examineModel(() => status(429, { 'x-ratelimit-limit': KEY }));

  expect(JSON.stringify(profile)).not.toContain(KEY_PART);
});

const anyAnswer = fc.oneof(
  { weight: 6, arbitrary: fc.constant('model' as const) },
  fc.constantFrom(
    status(429, { 'retry-after': '5' }),
    status(429),
    status(503),
    status(500),
    status(404),
    status(422),
    status(302, { location: 'https://elsewhere.example/' }),
    status(401),
    status(403, { 'retry-after': '7' }),
    json({ customers: [] }),
    json([]),
    json({ customers: [{ id: 1 }], has_more: true }),
    { status: 200, body: '{"customers":[' },
    { status: 200, body: '<html>' },
    new Error('no'),
  ),
);

test('whatever an API answers: ten requests at most, none early, none after a rejected key, settings that can be set', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...DIALECTS),
      fc.integer({ min: 0, max: 500 }),
      fc.array(anyAnswer, { maxLength: 10 }),
      fc.integer({ min: 0, max: 60 }),
      async (dialect, total, answers, maxWaitSeconds) => {
        const model = modelOf(dialect, total);
        let blockedUntilMs = 0;
        let isRejected = false;
        const given: (ListAnswer | Error)[] = [];
        const { profile, requests } = await examineModel(
          (question, before) => {
            expect(isRejected).toBe(false);
            const chosen = answers[before] ?? 'model';
            const answer = chosen === 'model' ? model.answer(question) : chosen;
            given.push(answer);
            if (!(answer instanceof Error)) isRejected = answer.status === 401;
            return answer;
          },
          { maxWaitSeconds },
        );
        expect(requests.length).toBeLessThanOrEqual(MOST_READS);
        for (const [at, { atMs }] of requests.entries()) {
          expect(atMs).toBeGreaterThanOrEqual(blockedUntilMs);
          const answer = given[at];
          if (answer === undefined || answer instanceof Error) continue;
          const seconds = Number(answer.headers?.['retry-after'] ?? 0);
          blockedUntilMs = Math.max(blockedUntilMs, atMs + seconds * 1_000);
        }
        expect(profile.waitedSeconds).toBeLessThanOrEqual(maxWaitSeconds);
        if (profile.list === undefined) return;
        const settings = connectionSettingsFor(profile.list, EXAMINED);
        expect(connectionListsOf(settings, {}).size).toBe(1);
      },
    ),
    { numRuns: amountOf({ short: 60, deep: 2_000 }) },
  ));

test('the decision is a function of what was answered', () => {
  expect(decide([], 60)).toEqual(decide([], 60));
  expect(decide([], 60)).toMatchObject({ kind: 'read', read: { page: 1, perPage: 100 } });
});
