import { expect, test } from '@jest/globals';
import { asynchronous, MemoryLedger } from '../../../infra/command/try/memory-ledger.ts';
import { ensureExport } from '../../../lib/exports/begin-export.ts';
import { listSettingsOf } from '../../../lib/exports/list-settings.ts';
import { manifestWith, rulesWith, START_MS, stateOf } from './state-of.ts';

const HEAD = { list: 'customers', exportId: 'request-1', sinceMs: START_MS };
const random = { token: () => 'token-1', fraction: () => 0.5 };

test('tells of an export that another process created and ended between the look and the write', async () => {
  const memory = new MemoryLedger();
  const ledger = asynchronous(memory);
  const ended = stateOf({ status: 'cancelled' });
  const ports = {
    random,
    ledger: {
      ...ledger,
      readExport: async () => {
        memory.writeExport(ended, undefined);
        return undefined;
      },
    },
  };
  expect(await ensureExport(ports, rulesWith(), 'acme', HEAD)).toEqual(ended);
});

test('creates the export at the head of a line, once', async () => {
  const ledger = asynchronous(new MemoryLedger());
  const created = await ensureExport({ random, ledger }, rulesWith(), 'acme', HEAD);
  const other = { token: () => 'token-2', fraction: () => 0.5 };
  expect(await ensureExport({ random: other, ledger }, rulesWith(), 'acme', HEAD)).toEqual(created);
  expect(created).toMatchObject({
    exportId: 'request-1',
    status: 'running',
    writeToken: 'token-1',
  });
});

test('creates none of a list that is not in the settings', async () => {
  const ledger = asynchronous(new MemoryLedger());
  expect(await ensureExport({ random, ledger }, rulesWith([]), 'acme', HEAD)).toBeUndefined();
  expect(await ledger.readExport('acme', 'request-1')).toBeUndefined();
});

test.each([
  ['the setting', { itemsKey: 'data.rows' }, 'data.rows', 'data.rows'],
  ['a rule', {}, false, null],
])('keeps and tells that its records are found by %s', async (_, given, kept, told) => {
  const ledger = asynchronous(new MemoryLedger());
  const lists = new Map([['customers', listSettingsOf('customers', given)]]);
  const begun = await ensureExport({ random, ledger }, { ...rulesWith(), lists }, 'acme', HEAD);
  expect(begun?.plan).toMatchObject({ itemsKey: kept });
  expect(manifestWith(begun ?? stateOf())).toMatchObject({ firstPage: 1, itemsKey: told });
});

test('the manifest of an export that an older version began tells no member of the records', () => {
  const { plan, ...state } = stateOf();
  const { itemsKey: _untold, ...older } = plan;

  expect(manifestWith({ ...state, plan: older })).not.toHaveProperty('itemsKey');
});
