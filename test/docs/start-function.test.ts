import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseStartInput } from '../../functions/messages/start-input.ts';
import { exportIdOf } from '../../lib/exports/export-id.ts';
import type { Started } from '../../lib/exports/start-export.ts';

/** Checked with the types: each result of a start, and no other. */
const RESULTS: Readonly<Record<Started['kind'], true>> = {
  started: true,
  joined: true,
  queued: true,
  resumed: true,
  halted: true,
  over: true,
};

const page = readFileSync(join(import.meta.dirname, '../../docs/your-own-functions.md'), 'utf8');
const [, section = ''] = /^## Start an export\n(.*?)^## /ms.exec(page) ?? [];

test('the start function takes what docs/your-own-functions.md shows, and keeps to its trigger', () => {
  const [, shown = ''] = /```json\n(.*?)```/s.exec(section) ?? [];
  const wanted = parseStartInput(JSON.parse(shown), { requestId: 'r-1', integration: 'Mine' });

  const trigger = { kind: 'request', idempotencyKey: 'month-end-2026-11' } as const;
  const exportId = exportIdOf('demo', 'invoices', trigger);
  expect(wanted).toEqual({ connection: 'demo', list: 'invoices', exportId });
});

test('docs/your-own-functions.md tells every result of a start', () => {
  const told = [...section.matchAll(/^\| `(\w+)` \| /gm)].map(([, result]) => result);

  expect(told.filter((each) => each !== 'result').toSorted()).toEqual(
    Object.keys(RESULTS).toSorted(),
  );
});
