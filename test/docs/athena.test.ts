import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { exportPrefix, latestKey, manifestKey, partKey } from '../../lib/exports/store-objects.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/athena.md'), 'utf8');
const [table = '', query = ''] = [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql]) => sql);

test('the table finds an export where it is stored', () => {
  const [, template = ''] = /'storage\.location\.template' = '(.*?)'/.exec(table) ?? [];
  const location = template.replace(/\$\{connection\}/, 'demo').replace(/\$\{export_id\}/, 'id-1');

  expect(location).toBe(`s3://BUCKET/${exportPrefix('demo', 'id-1')}`);
  for (const column of ['connection', 'export_id']) {
    expect(table).toMatch(new RegExp(`PARTITIONED BY \\(.*\\b${column} string`));
    expect(table).toContain(`'projection.${column}.type' = 'injected'`);
  }
});

test('the query reads the manifest and joins the parts by the keys that it has', () => {
  expect(`s3://BUCKET/${manifestKey('demo', 'id-1')}`).toMatch(/\/manifest\.json$/);
  expect(query).toContain(`"$path" LIKE '%/manifest.json'`);
  expect(query).toContain(`"$path" = 's3://BUCKET/' || counted.key`);
  // Injected columns need equality in each place that reads the table.
  expect(query.match(/FROM customers_exports/g)).toHaveLength(2);
  expect(query.match(/connection = 'demo' AND export_id = '[^']+'/g)).toHaveLength(2);
});

test('the layout on the page is the one of the bucket', () => {
  const shown = (key: string) => key.replace('demo', '<connection>').replace('id-1', '<id>');

  expect(page).toContain(shown(partKey('demo', 'id-1', 1, '<token>')));
  expect(page).toContain(shown(manifestKey('demo', 'id-1')));
  expect(page).toContain(shown(latestKey('demo')));
});
