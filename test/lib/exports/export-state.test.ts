import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { ExportStateSchema } from '../../../lib/exports/export-state.ts';
import { fail, halt, resume } from '../../../lib/exports/export-transitions.ts';
import { HALTED, START_MS, stateOf } from './state-of.ts';

const REASON = { code: 'key-missing', message: 'There is no secret.' } as const;
const DEADLINE = { code: 'deadline', message: 'Too late.' } as const;
const AT_MS = START_MS + 60_000;
const halted = halt(stateOf({ step: 4 }), REASON, AT_MS);
const TOLD = { kind: 'halted', step: 5, atMs: AT_MS, pages: 0, customers: 0 };

test('a halt that an earlier version stored as a word is told with its own facts, whatever comes after', () => {
  const former = v.parse(ExportStateSchema, { ...halted, unannounced: ['halted'] });
  expect(former).toEqual(halted);

  const resumed = { ...resume(former, AT_MS + 1), counters: { ...former.counters, pages: 9 } };
  const late = fail(resumed, DEADLINE, AT_MS + 2);
  const facts = { ...TOLD, reasonCode: 'key-missing', reasonMessage: 'There is no secret.' };
  expect(v.parse(ExportStateSchema, late).unannounced).toEqual([facts, 'failed']);
});

test('one that went on before it was read has the step of its halt, and no reason of what came after', () => {
  const resumed = { ...resume(halted, AT_MS), unannounced: ['halted'] };
  expect(v.parse(ExportStateSchema, resumed).unannounced).toEqual([TOLD]);
  const failed = { ...fail(halted, DEADLINE, AT_MS), unannounced: ['halted', 'failed'] };
  expect(v.parse(ExportStateSchema, failed).unannounced).toEqual([TOLD, 'failed']);
});

test('what this version stored is read as it is', () => {
  const state = stateOf({ unannounced: [HALTED, 'completed'] });
  expect(v.parse(ExportStateSchema, state)).toEqual(state);
});
