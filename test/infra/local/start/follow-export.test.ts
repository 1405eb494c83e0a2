import { expect, test } from '@jest/globals';
import { followExport } from '../../../../infra/local/start/follow-export.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import { stateOf } from '../../../lib/exports/state-of.ts';

const ended = stateOf({ status: 'completed', unannounced: [] });
/** A watch that misses a change would never end. */
const limit = AbortSignal.timeout(10_000);

/** A ledger that counts how often it is read; `write` changes it. */
function countedLedger(states: ExportState[]) {
  const counts = { reads: 0, writes: 1 };
  return {
    counts,
    write: (state: ExportState) => {
      states.push(state);
      counts.writes += 1;
    },
    followed: {
      ledger: {
        readExport: async () => {
          counts.reads += 1;
          return states.at(-1);
        },
      },
      writes: () => counts.writes,
      connection: 'main',
      exportId: 'one',
    },
  };
}

test('reads the ledger only after it was written, and shows the state all the while', async () => {
  const { counts, write, followed } = countedLedger([stateOf()]);
  let shown = 0;
  const show = () => {
    shown += 1;
    if (shown === 3) write(ended);
  };

  expect(await followExport(followed, show, limit)).toBe(ended);
  expect({ shown, reads: counts.reads }).toEqual({ shown: 4, reads: 2 });
});

test('is not over before everything about the end is announced', async () => {
  const { write, followed } = countedLedger([
    stateOf({ status: 'completed', unannounced: ['completed'] }),
  ]);
  const shown: ExportState[] = [];
  const show = (state: ExportState) => {
    shown.push(state);
    if (shown.length === 1) write(ended);
  };

  expect(await followExport(followed, show, limit)).toBe(ended);
  expect(shown).toHaveLength(2);
});

test('sees what was written while it read', async () => {
  const { write, followed } = countedLedger([stateOf()]);
  const { readExport } = followed.ledger;
  let reads = 0;
  const ledger = {
    readExport: async () => {
      const state = await readExport();
      reads += 1;
      if (reads === 1) write(ended);
      return state;
    },
  };

  expect(await followExport({ ...followed, ledger }, () => {}, limit)).toBe(ended);
});

test('ends when it is interrupted', async () => {
  const interrupt = new AbortController();
  const { followed } = countedLedger([stateOf()]);

  const following = followExport(followed, () => interrupt.abort(), interrupt.signal);

  await expect(following).rejects.toMatchObject({ name: 'AbortError' });
});
