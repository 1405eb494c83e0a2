import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const athenaPage = readFileSync(join(import.meta.dirname, '../../docs/athena.md'), 'utf8');

/** The queries on the page, in their order. */
export const athenaQueries = [...athenaPage.matchAll(/^```sql\n(.*?)^```/gms)].map(
  ([, sql = '']) => sql,
);
