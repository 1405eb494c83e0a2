import { expect, test } from '@jest/globals';
import { latestKey, manifestKey, partKey } from '../../lib/exports/store-objects.ts';
import {
  EXPORTS_TABLE,
  LATEST_EXPORT,
  latestView,
  pointersKey,
} from '../../lib/exports/table-pointers.ts';
import { athenaPage, athenaQueries } from './athena-page.ts';

/** What Athena refuses a query without, for each place that reads a table or a view. */
const NEEDED = [
  [EXPORTS_TABLE, ['connection', 'list', 'export']],
  [String.raw`latest_\w+`, ['connection']],
] as const;

test.each(athenaQueries)('says which partitions it is about, for each table: %s', (sql) => {
  const places = NEEDED.flatMap(([table, partitions]) =>
    [...sql.matchAll(new RegExp(`(?:FROM|JOIN) ${table}\\b`, 'g'))].flatMap(() => partitions),
  );

  expect(places).not.toEqual([]);
  for (const partition of new Set(places)) {
    const said = [...sql.matchAll(new RegExp(`\\b${partition} = '[a-z0-9-]+'`, 'g'))];
    expect([partition, said.length]).toEqual([
      partition,
      places.filter((each) => each === partition).length,
    ]);
  }
});

test('names the tables and objects as they are', () => {
  expect(athenaQueries.length).toBeGreaterThan(5);
  expect(athenaPage).toContain(`\`${latestView('credit-notes')}\` for \`credit-notes\``);
  const [connection, list, exportId] = ['<connection>', '<list>', '<id>'];
  const place = { connection, list, exportId };
  for (const key of [
    partKey(place, 1, '<token>', 'gzip'),
    manifestKey(place),
    latestKey(connection, list),
    pointersKey(connection, list, exportId),
    pointersKey(connection, list, LATEST_EXPORT),
  ]) {
    expect(athenaPage).toContain(`\n${key} `);
  }
  expect(athenaPage).toContain(`\`${latestView('customers')}\``);
});
