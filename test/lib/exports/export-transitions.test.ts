import { expect, test } from '@jest/globals';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { failUnstorable, halt, nextStep, resume } from '../../../lib/exports/export-transitions.ts';
import { START_MS, stateOf } from './state-of.ts';

const NOW = START_MS + 60_000;
const before = stateOf({
  lease: { owner: 'a', untilMs: NOW + 9 },
  inRow: { failures: 2, blindThrottles: 2, stepsWithoutPage: 2 },
});
const withPage: ExportState = {
  ...before,
  counters: { ...before.counters, pages: 1 },
  inRow: { failures: 0, blindThrottles: 0, stepsWithoutPage: 0 },
};
test('forgets the reason when it is resumed, and sends the step that the halt left', () => {
  const reason = { code: 'authentication-failure', message: 'No.' } as const;
  const halted = halt(before, reason, 'v1', NOW);
  expect(halted).toMatchObject({ status: 'halted', haltedKeyVersion: 'v1', step: 1 });
  const resumed = resume(halted, NOW + 1);
  expect(resumed).toMatchObject({ status: 'running', step: 1, wakeUpSent: false });
  expect(resumed).not.toHaveProperty('reason');
  expect(resumed).not.toHaveProperty('haltedKeyVersion');
  expect(resumed.inRow).toEqual({ failures: 0, blindThrottles: 0, stepsWithoutPage: 0 });
});

test('stays plain JSON of a few KB', () => {
  const text = JSON.stringify(nextStep(withPage, NOW, NOW));
  expect(JSON.parse(text)).toEqual(nextStep(withPage, NOW, NOW));
  expect(text.length).toBeLessThan(2_000);
});

test('a state that the ledger did not take ends with as little as can be', () => {
  const state = stateOf({ unannounced: ['halted'], firstMetaText: '{}', lastMetaText: '{}' });
  const failed = failUnstorable(state, 'It is too large.', NOW);
  expect(failed).toMatchObject({ status: 'failed', unannounced: ['failed'] });
  expect(failed).not.toHaveProperty('firstMetaText');
  expect(failed.reason?.message).toMatch(/^It is too large\. /);
});
