import { expect, test } from '@jest/globals';
import { failUnstorable, halt, nextStep, resume } from '../../../lib/exports/export-transitions.ts';
import { CLAIMED, HALTED, STEP_AT_MS, stateOf, WITH_PAGE } from './state-of.ts';

test('forgets the reason when it is resumed, and sends the step that the halt left', () => {
  const reason = { code: 'authentication-failure', message: 'No.' } as const;
  const halted = halt(CLAIMED, reason, STEP_AT_MS);
  expect(halted).toMatchObject({ status: 'halted', step: 1 });
  const resumed = resume(halted, STEP_AT_MS + 1);
  expect(resumed).toMatchObject({ status: 'running', step: 1, wakeUpSent: false });
  expect(resumed).not.toHaveProperty('reason');
  expect(resumed.inRow).toEqual({ failures: 0, blindThrottles: 0, stepsWithoutPage: 0 });
});

test('keeps the facts of a halt that is not told, for when it was resumed and has other ones', () => {
  const reason = { code: 'key-missing', message: 'There is no secret.' } as const;
  const halted = halt(WITH_PAGE, reason, STEP_AT_MS);
  const { pages, customers } = WITH_PAGE.counters;
  const facts = { step: halted.step, atMs: STEP_AT_MS, pages, customers };
  const reasons = { reasonCode: 'key-missing', reasonMessage: 'There is no secret.' };
  expect(resume(halted, STEP_AT_MS + 1).unannounced).toEqual([
    { kind: 'halted', ...facts, ...reasons },
  ]);
});

test('stays plain JSON of a few KB', () => {
  const text = JSON.stringify(nextStep(WITH_PAGE, STEP_AT_MS, STEP_AT_MS));
  expect(JSON.parse(text)).toEqual(nextStep(WITH_PAGE, STEP_AT_MS, STEP_AT_MS));
  expect(text.length).toBeLessThan(2_000);
});

test('a state that the ledger did not take ends with as little as can be', () => {
  const state = stateOf({ unannounced: [HALTED], firstMetaText: '{}', lastMetaText: '{}' });
  const failed = failUnstorable(state, 'It is too large.', STEP_AT_MS);
  expect(failed).toMatchObject({ status: 'failed', unannounced: ['failed'] });
  expect(failed).not.toHaveProperty('firstMetaText');
  expect(failed.reason?.message).toMatch(/^It is too large\. /);
});
