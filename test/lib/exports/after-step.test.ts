import { expect, test } from '@jest/globals';
import { afterStep } from '../../../lib/exports/after-step.ts';
import type { CopyStop } from '../../../lib/exports/copy-pages.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { CLAIMED, HALTED, SETTINGS, STEP_AT_MS, WITH_PAGE } from './state-of.ts';

const atFirst: ExportState = {
  ...CLAIMED,
  lastRequestAtMs: STEP_AT_MS - 999,
  inRow: { failures: 0, blindThrottles: 0, stepsWithoutPage: 0 },
};
const unreachable = {
  kind: 'unavailable',
  reason: 'unreachable',
  message: 'Not found.',
} as const;
const unavailable = { kind: 'unavailable', reason: 'network', message: 'No connection.' } as const;

type Stop = Exclude<
  CopyStop,
  { kind: 'ended' | 'authentication-failure' | 'key-halted' | 'cancelled' }
>;
interface Row {
  readonly title: string;
  readonly state: ExportState;
  readonly stop: Stop;
  readonly isFirstContact?: true;
  readonly expected: object;
}

const throttle = (isBlind: boolean, untilMs = STEP_AT_MS + 5_000): Stop => ({
  kind: 'throttled',
  notBeforeMs: untilMs,
  isBlind,
});

const ROWS: readonly Row[] = [
  {
    title: 'time is up after pages',
    state: WITH_PAGE,
    stop: { kind: 'time-up' },
    expected: {
      status: 'running',
      step: 1,
      notBeforeMs: STEP_AT_MS,
      inRow: { stepsWithoutPage: 0 },
    },
  },
  {
    title: 'time is up without a page, which is no failure',
    state: CLAIMED,
    stop: { kind: 'time-up' },
    expected: { status: 'running', inRow: { failures: 2, stepsWithoutPage: 3 } },
  },
  {
    title: 'time is up before an answer, which may have asked to wait',
    state: WITH_PAGE,
    stop: { kind: 'cut-off' },
    expected: { status: 'running', notBeforeMs: STEP_AT_MS + 1_000, inRow: { failures: 0 } },
  },
  {
    title: 'throttled, which ends a row of failures',
    state: CLAIMED,
    stop: throttle(false),
    expected: {
      status: 'running',
      notBeforeMs: STEP_AT_MS + 5_000,
      inRow: { failures: 0, blindThrottles: 0 },
    },
  },
  {
    title: 'throttled without a told wait',
    state: CLAIMED,
    stop: throttle(true),
    expected: { inRow: { blindThrottles: 3 } },
  },
  {
    title: 'throttled for longer than the cap',
    state: CLAIMED,
    stop: throttle(false, STEP_AT_MS + SETTINGS.maxWaitSeconds * 1000 + 1),
    expected: { status: 'failed', reason: { code: 'wait-too-long' }, unannounced: ['failed'] },
  },
  {
    title: 'the pace is slow, of which the queue waits whole seconds',
    state: WITH_PAGE,
    stop: { kind: 'paced', notBeforeMs: STEP_AT_MS + 20_900 },
    expected: { status: 'running', notBeforeMs: STEP_AT_MS + 20_000 },
  },
  {
    title: 'unavailable',
    state: CLAIMED,
    stop: { kind: 'unavailable', outcome: unavailable },
    // The third in a row: up to 8 s, of which the fraction is half.
    expected: { status: 'running', notBeforeMs: STEP_AT_MS + 4_000, inRow: { failures: 3 } },
  },
  {
    title: 'nothing was reached where a page came once',
    state: { ...CLAIMED, lastRequestAtMs: STEP_AT_MS - 9_000 },
    stop: { kind: 'unavailable', outcome: unreachable },
    expected: {
      status: 'running',
      notBeforeMs: STEP_AT_MS + 4_000,
      waitsFor: 'unreachable',
      inRow: { failures: 3 },
    },
  },
  {
    title: 'the first contact fails fast, as while a name service starts',
    state: { ...atFirst, inRow: { ...CLAIMED.inRow, failures: 1 } },
    stop: { kind: 'unavailable', outcome: unreachable },
    isFirstContact: true,
    expected: { status: 'running', notBeforeMs: STEP_AT_MS + 1_000, waitsFor: 'unreachable' },
  },
  {
    title: 'the first contact fails for the third time',
    state: { ...atFirst, inRow: { ...CLAIMED.inRow, failures: 2 } },
    stop: { kind: 'unavailable', outcome: unreachable },
    isFirstContact: true,
    expected: {
      status: 'failed',
      reason: { code: 'unreachable', message: 'Not found.' },
      unannounced: ['failed'],
    },
  },
  {
    title: 'the first contact took its time to fail',
    state: { ...atFirst, lastRequestAtMs: STEP_AT_MS - 1_000 },
    stop: { kind: 'unavailable', outcome: unreachable },
    isFirstContact: true,
    expected: { status: 'failed', reason: { code: 'unreachable' } },
  },
  {
    title: 'the first contact is made and the API fails',
    state: atFirst,
    stop: { kind: 'unavailable', outcome: unavailable },
    isFirstContact: true,
    expected: { status: 'running', waitsFor: 'network', inRow: { failures: 1 } },
  },
  {
    title: 'the API answers with a failure before the first page',
    state: atFirst,
    stop: { kind: 'unavailable', outcome: { ...unavailable, reason: 'server-error' } },
    isFirstContact: true,
    expected: { status: 'running', waitsFor: 'server-error', wasAnswered: true },
  },
  {
    title: 'unavailable as often as may be',
    state: { ...CLAIMED, inRow: { ...CLAIMED.inRow, failures: SETTINGS.maxFailuresInRow - 1 } },
    stop: { kind: 'unavailable', outcome: unavailable },
    expected: { status: 'running', inRow: { failures: SETTINGS.maxFailuresInRow } },
  },
  {
    title: 'throttled for as long as nobody needs to be told',
    state: CLAIMED,
    stop: throttle(false, STEP_AT_MS + SETTINGS.longWaitSeconds * 1000),
    expected: { status: 'running', unannounced: [] },
  },
  {
    title: 'throttled for longer than that',
    state: CLAIMED,
    stop: throttle(false, STEP_AT_MS + SETTINGS.longWaitSeconds * 1000 + 1),
    expected: { status: 'running', unannounced: [{ kind: 'throttled-long', atMs: STEP_AT_MS }] },
  },
  {
    title: 'throttled for longer after a hundred waits that could not be announced',
    state: { ...CLAIMED, unannounced: Array.from({ length: 100 }, () => HALTED) },
    stop: throttle(false, STEP_AT_MS + SETTINGS.longWaitSeconds * 1000 + 1),
    expected: {
      unannounced: [
        ...Array.from({ length: 99 }, () => HALTED),
        expect.objectContaining({ kind: 'throttled-long' }),
      ],
    },
  },
  {
    title: 'unavailable once too often',
    state: { ...CLAIMED, inRow: { ...CLAIMED.inRow, failures: SETTINGS.maxFailuresInRow } },
    stop: { kind: 'unavailable', outcome: { ...unavailable, status: 503, apiCode: 'down' } },
    expected: { status: 'failed', reason: { code: 'unavailable', status: 503, apiCode: 'down' } },
  },
  {
    title: 'refused',
    state: CLAIMED,
    stop: {
      kind: 'refused',
      outcome: { kind: 'refused', reason: 'not-json', message: 'Not JSON.', requestId: 'r' },
    },
    expected: {
      status: 'failed',
      reason: { code: 'refused', message: 'Not JSON.', requestId: 'r' },
    },
  },
  ...(['not-json', 'items-missing'] as const).flatMap((reason): Row[] => {
    const stop = {
      kind: 'refused',
      outcome: { kind: 'refused', reason, message: 'Stray.' },
    } as const;
    const inRow = { ...WITH_PAGE.inRow, failures: SETTINGS.maxFailuresInRow };
    return [
      {
        title: `${reason} once behind pages`,
        state: WITH_PAGE,
        stop,
        expected: {
          status: 'running',
          waitsFor: 'server-error',
          wasAnswered: true,
          notBeforeMs: STEP_AT_MS + 1_000,
          inRow: { failures: 1 },
        },
      },
      {
        title: `${reason} behind pages once too often`,
        state: { ...WITH_PAGE, inRow },
        stop,
        expected: {
          status: 'failed',
          reason: { code: 'refused', message: expect.stringMatching(/ 1 pages.*Stray\.$/) },
        },
      },
    ];
  }),
  {
    title: 'the key in an answer behind pages',
    state: WITH_PAGE,
    stop: { kind: 'refused', outcome: { kind: 'refused', reason: 'key-echo', message: 'No.' } },
    expected: { status: 'failed', reason: { code: 'refused', message: 'No.' } },
  },
  {
    title: 'no list',
    state: CLAIMED,
    stop: { kind: 'not-a-list', reason: 'contradiction', message: 'No.' },
    expected: { status: 'failed', reason: { code: 'contradiction' } },
  },
];

test.each(ROWS)('goes on when $title', ({ state, stop, expected, isFirstContact = false }) => {
  const next = afterStep(
    { before: CLAIMED, state, stop },
    { nowMs: STEP_AT_MS, settings: SETTINGS, fraction: 0.5, isFirstContact },
  );
  expect(next).toMatchObject({ ...expected, step: 1, updatedAtMs: STEP_AT_MS });
  expect(next.lease).toBeUndefined();
  expect(next.wakeUpSent).toBe(next.status !== 'running');
});

test.each([
  ['that asked', 1, undefined],
  ['whose pace held it back', 0, 4],
])(
  'a step without a page %s sent %i requests, and leaves of those that broke off: %p',
  (_, requests, left) => {
    const before = { ...CLAIMED, inRow: { ...CLAIMED.inRow, brokenSteps: 4 } };
    const counters = { ...before.counters, requests: before.counters.requests + requests };
    const next = afterStep(
      { before, state: { ...before, counters }, stop: throttle(false) },
      { nowMs: STEP_AT_MS, settings: SETTINGS, fraction: 0.5, isFirstContact: false },
    );
    expect(next.inRow.brokenSteps).toBe(left);
  },
);
