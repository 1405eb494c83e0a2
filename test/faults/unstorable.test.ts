import { expect, test } from '@jest/globals';
import { stepMetrics } from '../../functions/services/metric-values.ts';
import type { ListOutcome } from '../../lib/customers-api/outcome.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { UnstorableItemError } from '../../lib/steps/unreadable-item.ts';
import { EXPORT_ID, isOver, startIn } from './run-export.ts';
import { CONNECTION, World } from './world.ts';

/** Has the ledger never take some states, as DynamoDB takes no item of more than 400 KB. */
function refuse({ ledger }: World, isUnstorable: (next: ExportState) => boolean): void {
  const write = ledger.writeExport.bind(ledger);
  ledger.writeExport = (next, expectedToken) => {
    if (isUnstorable(next)) throw new UnstorableItemError('Too large.');
    return write(next, expectedToken);
  };
}

const isRunning = ({ status }: ExportState) => status === 'running';

const REFUSAL: ListOutcome = { kind: 'refused', reason: 'error-body', message: 'An error.' };

test.each<[string, (state: ExportState) => boolean, ListOutcome | undefined]>([
  ['after a step', (state) => isRunning(state) && state.counters.pages >= 10, undefined],
  ['after a part', (state) => isRunning(state) && state.parts.count >= 2, undefined],
  ['with a lease', (state) => state.lease !== undefined, undefined],
  ['after the list', (state) => isRunning(state) && state.end !== undefined, undefined],
  ['with the reason of a refusal', ({ reason }) => reason?.code === 'refused', REFUSAL],
])(
  'an export whose state the ledger never takes %s ends failed, and says why',
  async (_, isUnstorable, atLast) => {
    const world = new World({
      settings: { partMaxPages: 4, pagesInFlight: 1 },
      behaviour: ({ page }) => (page === 15 ? atLast : undefined),
    });
    await startIn(world);
    refuse(world, isUnstorable);

    await world.runUntil(() => isOver(world), false);

    const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
    expect(state).toMatchObject({
      status: 'failed',
      reason: { code: 'unstorable', message: expect.stringMatching(/^Too large\. .*Start again/) },
      unannounced: [],
    });
    expect(world.events).toMatchObject([{ kind: 'failed', reasonCode: 'unstorable' }]);
    expect(world.ledger.readLine(CONNECTION)).toBeUndefined();
    expect(world.reports.flatMap((report) => stepMetrics(report).ExportsFailed ?? [])).toEqual([1]);
    // It ends at once, not when its tries are used up.
    expect(state?.step).toBeLessThan(3);
  },
);
