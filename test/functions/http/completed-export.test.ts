import { expect, test } from '@jest/globals';
import { completedExport } from '../../../functions/http/completed-export.ts';
import { stateOf } from '../../lib/exports/state-of.ts';

test.each([
  ['running', 'Ask again when it is completed.'],
  ['halted', 'Ask again when it is completed.'],
  ['failed', 'What it stored is no whole list. Start another one.'],
  ['cancelled', 'What it stored is no whole list. Start another one.'],
] as const)('says of an export that is %s what helps', async (status, todo) => {
  const ledger = {
    readExport: async () => stateOf({ status }),
    readLine: async () => undefined,
  };
  expect(await completedExport(ledger, 'acme', 'now', 'changes')).toMatchObject({
    detail: `The export is ${status}. Only a completed one has changes. ${todo}`,
    members: { exportStatus: status },
  });
});
