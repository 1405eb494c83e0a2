import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from './reference.ts';

const FOLDER = join(import.meta.dirname, '../../docs/reference');

mkdirSync(FOLDER, { recursive: true });
for (const [page, text] of referencePages()) writeFileSync(join(FOLDER, page), text);
