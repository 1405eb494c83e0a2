import { expect, test } from '@jest/globals';
import { exportText, type ShownExport } from '../../../../infra/command/stack/shown-export.ts';

const SHOWN = {
  list: 'customers',
  exportId: 'request-0123456789abcdef0123',
  status: 'completed',
  startedAt: '2026-05-01T00:00:00.000Z',
  updatedAt: '2026-05-01T00:00:41.000Z',
  progress: {
    ...{ pages: 103, customers: 9_000, totalCustomers: 9_000, percent: 100, expectedEndAt: null },
  },
  notBefore: null,
  waits: { throttles: 2, seconds: 4 },
  parts: { count: 9, storedBytes: 1_234_567 },
  completeness: { verdict: 'complete', reasons: ['All of its counts agree with each other.'] },
  changes: { status: 'found', counts: { added: 1_000, changed: 2, removed: 0 } },
  reason: null,
} satisfies ShownExport;

test.each([60, 80, 120])(
  'an export fits a terminal of %i columns, in lines that are read well',
  (width) => {
    const text = exportText(SHOWN, width);
    const longest = Math.max(...text.split('\n').map((line) => line.length));

    expect(longest).toBeLessThanOrEqual(Math.min(width, 80));
    const words = text.replaceAll(/\s+/g, ' ');
    for (const said of [
      '9, 1.2 MB stored',
      '1,000 added, 2 changed, 0 removed (found)',
      SHOWN.exportId,
    ])
      expect(words).toContain(said);
  },
);
