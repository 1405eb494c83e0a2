import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createChangeItems } from '../../../../functions/aws/ledger/change-items.ts';
import type { ComparisonLine } from '../../../../lib/changes/comparison-line.ts';
import type { ChangeLedger } from '../../../../lib/changes/ports.ts';
import { changeStateOf } from '../../../lib/changes/change-state-of.ts';
import { startLedger } from '../dynalite-ledger.ts';

let database: Awaited<ReturnType<typeof startLedger>>;
let items: ChangeLedger;
beforeAll(async () => {
  database = await startLedger();
  items = createChangeItems(database.table);
});
afterAll(() => database.close());

test('gives back every member of what was found as it was stored', async () => {
  const state = changeStateOf({
    exportId: 'full',
    organizationId: 'organization',
    passedOver: 'before',
    status: 'discarded',
    closed: true,
    reason: 'changes-00001.ndjson.gz is not there.',
    lease: { owner: 'me', untilMs: 5_000 },
    decided: { decision: 'release', by: 'arn:aws:iam::1:user/ada', atMs: 4_000 },
    deleteAfterMs: 1_500,
  });

  expect(await items.writeChange(state, undefined)).toEqual({ kind: 'written' });

  expect(await items.readChange('acme', 'full')).toEqual(state);
  // Time to live is in seconds.
  const place = { connection: 'acme', sort: 'change#full', schema: v.unknown() };
  expect(await database.table.get(place)).toMatchObject({ deleteAt: 2 });
  expect(await items.readChange('other', 'full')).toBeUndefined();
});

test.each([
  ['wait for a person', 'held', true],
  ['stopped', 'stopped', true],
  ['are being told', 'publishing', true],
  ['are not told yet', 'found', false],
] as const)('changes that %s stay in the ledger whatever their age', async (_, status, closed) => {
  const state = changeStateOf({ exportId: `stays-${status}`, status, closed });
  await items.writeChange(state, undefined);

  const place = { connection: 'acme', sort: `change#${state.exportId}`, schema: v.unknown() };
  expect(await database.table.get(place)).not.toHaveProperty('deleteAt');
});

test('keeps the line of a list, and replaces it only as long as nobody else has', async () => {
  const line: ComparisonLine = {
    v: 1,
    connection: 'acme',
    list: 'customers',
    writeToken: 'first',
    base: { exportId: 'a', startedAtMs: 1, manifestKey: 'm', organizationId: 'o' },
    comparing: { exportId: 'b', sinceMs: 2, lease: { owner: 'me', untilMs: 3 } },
    publishing: 'c',
    held: 'd',
  };
  const next = { ...line, writeToken: 'second' };
  database.loseNext();
  expect(await items.writeComparisonLine(line, undefined)).toEqual({ kind: 'written' });

  expect(await items.readComparisonLine('acme', 'customers')).toEqual(line);
  expect(await items.writeComparisonLine(next, undefined)).toEqual({
    kind: 'conflict',
    current: line,
  });
  expect(await items.writeComparisonLine(next, 'first')).toEqual({ kind: 'written' });
});

test('the sweep finds what has to go on, a person what is held, and nobody what is over', async () => {
  const connection = 'swept';
  const states = [
    changeStateOf({ connection, exportId: 'untold', status: 'found' }),
    changeStateOf({ connection, exportId: 'publishing', status: 'publishing', closed: true }),
    changeStateOf({ connection, exportId: 'held', status: 'held', closed: true }),
    changeStateOf({ connection, exportId: 'stopped', status: 'stopped', closed: true }),
    changeStateOf({ connection, exportId: 'told', status: 'published', closed: true }),
  ];
  for (const state of states) await items.writeChange(state, undefined);
  const idsOf = (names: readonly { readonly connection: string; readonly exportId: string }[]) =>
    names.flatMap((name) => (name.connection === connection ? [name.exportId] : [])).sort();

  expect(idsOf(await items.listUnfinishedChanges())).toEqual(['publishing', 'untold']);
  expect(idsOf(await items.listHeldChanges())).toEqual(['held', 'stopped']);
});
