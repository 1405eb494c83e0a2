import { expect, test } from '@jest/globals';
import { claimItem } from '../../../lib/steps/claim.ts';
import { leaveItem } from '../../../lib/steps/report.ts';
import type { StepItem } from '../../../lib/steps/step-item.ts';
import { meaningOf, type StepKind } from '../../../lib/steps/step-kind.ts';

interface Item extends StepItem {
  readonly step: number;
}

const NOW_MS = 1_767_312_000_000;
const STEP = 4;

/** Another process writes before each of our writes; what is read after them is given. */
function contended(read: readonly number[]): { kind: StepKind<Item>; first: Item } {
  const itemAt = (step: number): Item => ({
    writeToken: 'another',
    notBeforeMs: NOW_MS,
    updatedAtMs: NOW_MS,
    wakeUpSent: true,
    step,
  });
  const steps = [...read];
  const kind: StepKind<Item> = {
    clock: { now: () => NOW_MS },
    random: { token: () => 'own' },
    read: async () => itemAt(steps.shift() ?? Number.NaN),
    swap: async () => ({ kind: 'conflict', current: undefined }),
    send: async () => {},
    stepOf: ({ step }) => step,
    restOf: () => undefined,
  };
  return { kind, first: itemAt(STEP) };
}

async function claim(read: readonly number[]) {
  const { kind, first } = contended(read);
  return claimItem(
    kind,
    first,
    async (state) => meaningOf(kind, state, STEP, NOW_MS),
    (meaning) => (meaning.kind === 'open' ? { from: meaning.state, to: meaning.state } : undefined),
  );
}

test.each([[[STEP + 1]], [[STEP, STEP + 1]], [[STEP, STEP, STEP + 1]]])(
  'a doubled message whose step another process does is acknowledged, after conflicts %j too',
  async (read) => {
    const claimed = await claim(read);
    if (claimed.kind !== 'left' || claimed.decision.kind === 'open') {
      throw new Error(`not left: ${claimed.kind}`);
    }
    const { kind } = contended([]);
    expect(await leaveItem(kind, claimed.decision, async () => {})).toMatchObject({
      answer: 'acknowledge',
      result: 'past',
    });
  },
);

test('a step that is still to be done after three conflicts comes back', async () => {
  expect(await claim([STEP, STEP, STEP])).toEqual({ kind: 'contended' });
});
