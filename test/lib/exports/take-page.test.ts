import { expect, test } from '@jest/globals';
import type { Page } from '../../../lib/customers-api/outcome.ts';
import { newWalk } from '../../../lib/customers-api/walks/new-walk.ts';
import type { WakeUp } from '../../../lib/exports/ports.ts';
import { stepReport } from '../../../lib/exports/step-report.ts';
import { dropPage, holdPage, takePage } from '../../../lib/exports/take-page.ts';
import { pageOf } from '../../faults/model-api.ts';
import { manifestWith, stateOf } from './state-of.ts';

const ABSENT = 'metaKeys.total names meta.totl, which is not there';
const KEPT = { records: 10, bytes: 300 };
const WAKE_UP: WakeUp = { v: 1, connection: 'acme', exportId: 'request-1', step: 0 };

test('counts on how many pages a warning stands, and hands all of them to the manifest and the log', () => {
  const state = [[ABSENT], [ABSENT, ABSENT, 'another'], []].reduce(
    (before, warnings) => takePage(before, pageWith(warnings), before.walk, KEPT),
    stateOf(),
  );

  expect(manifestWith(state).warnings).toEqual([
    { message: ABSENT, pages: 2 },
    { message: 'another', pages: 1 },
  ]);
  expect(
    stepReport(WAKE_UP, { answer: 'acknowledge', result: 'goes-on', state }).facts.warnings,
  ).toBe(`${ABSENT}; another`);
});

test('says nothing where everything was believed', () => {
  const state = takePage(stateOf(), pageWith([]), stateOf().walk, KEPT);

  expect(state).not.toHaveProperty('warnings');
  expect(manifestWith(state).warnings).toEqual([]);
  expect(
    stepReport(WAKE_UP, { answer: 'acknowledge', result: 'goes-on', state }).facts,
  ).not.toHaveProperty('warnings');
});

test('keeps the ledger item small, however many and long the warnings are', () => {
  const many = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
  const state = takePage(stateOf(), pageWith(many), stateOf().walk, KEPT);

  expect(JSON.stringify(state.warnings).length).toBeLessThan(8_000);
  expect(takePage(state, pageWith(many), state.walk, KEPT).warnings).toHaveLength(20);
  expect(takePage(state, pageWith(many), state.walk, KEPT).warnings?.[19]?.pages).toBe(2);
});

test('keeps the ledger item small, however many answers are dropped', () => {
  const state = Array.from({ length: 250 }, (_, index) => index + 1).reduce(
    (before, page) => dropPage(before, { page }, before.walk),
    stateOf(),
  );

  expect(state.dropped).toHaveLength(200);
  expect(state.dropped?.[0]).toEqual({ page: 1 });
});

test('goes on with the page in front after a step that ended behind a held one, and counts nothing yet', () => {
  const before = stateOf();
  const waiting = { ...before, inRow: { ...before.inRow, failures: 2, stepsWithoutPage: 3 } };
  const walk = newWalk({ firstPage: 1, perPage: 10 });
  const state = holdPage(waiting, walk);

  // With the walk of before, steps of one request each would ask for the same page for ever.
  expect(state.walk).toBe(walk);
  expect(state.counters).toEqual(before.counters);
  expect(state.inRow).toMatchObject({ failures: 0, stepsWithoutPage: 3 });
});

function pageWith(warnings: readonly string[]): Page {
  const page = pageOf(95, 1, 10);
  return { ...page, evidence: { ...page.evidence, warnings } };
}
