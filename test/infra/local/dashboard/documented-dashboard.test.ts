import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { documentedDashboard } from '../../../../infra/local/dashboard/documented-dashboard.ts';

const PICTURE = join(import.meta.dirname, '../../../../docs/dashboard.svg');

// When this fails, run: npx node infra/local/dashboard/draw.ts
test('the picture in the docs is that of the dashboard in the template', () => {
  expect(readFileSync(PICTURE, 'utf8')).toBe(documentedDashboard());
});
