import { expect, test } from '@jest/globals';
import { changesMember, readChangeOf } from '../../../functions/http/changes-view.ts';
import { UnreadableItemError } from '../../../lib/steps/unreadable-item.ts';
import { changeStateOf } from '../../lib/changes/change-state-of.ts';
import { stateOf } from '../../lib/exports/state-of.ts';
import { recordedLog } from '../middleware/recorded-log.ts';

const COMPLETE = stateOf({ completeness: { verdict: 'complete', reasons: [] } });

function asking(found: () => ReturnType<typeof changeStateOf>) {
  const asked: string[] = [];
  const readChange = async (_: string, exportId: string) => {
    asked.push(exportId);
    return found();
  };
  return { asked, changes: { readChange } };
}

test('an item of changes that cannot be read hides no export, and an outage is told', async () => {
  const { log, lines } = recordedLog();
  const item = { connection: 'acme', sort: 'change#now' };
  const broken = asking(() => {
    throw new UnreadableItemError(item, ['status']);
  });
  expect(await readChangeOf(broken.changes, COMPLETE, log)).toBeUndefined();
  expect(lines.join('')).toContain('Changes left out of an export');
  const out = asking(() => {
    throw new Error('no answer');
  });
  await expect(readChangeOf(out.changes, COMPLETE, log)).rejects.toThrow('no answer');
});

test('changes are looked for of a complete export alone', async () => {
  const { asked, changes } = asking(changeStateOf);
  for (const verdict of ['drifted', 'unproven', 'complete'] as const) {
    const state = stateOf({ exportId: verdict, completeness: { verdict, reasons: [] } });
    await readChangeOf(changes, state, recordedLog().log);
  }
  expect(asked).toEqual(['complete']);
});

test.each([
  ['are there', changeStateOf(), { status: 'found', counts: { added: 2 } }],
  ['are looked for again', changeStateOf({ status: 'outdated' }), null],
  ['were not looked for', undefined, null],
])('says beside an export what its changes are that %s', (_title, change, expected) => {
  const member = changesMember(change);
  if (expected === null) expect(member).toBeNull();
  else expect(member).toMatchObject(expected);
});
