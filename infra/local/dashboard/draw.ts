import { writeFile } from 'node:fs/promises';
import { documentedDashboard } from './documented-dashboard.ts';

/** Run it after a change of the dashboard: a test compares the picture in the docs. */
await writeFile(new URL('../../../docs/dashboard.svg', import.meta.url), documentedDashboard());
