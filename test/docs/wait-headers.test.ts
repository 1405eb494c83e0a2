import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  RESET_HEADERS,
  RETRY_HEADERS,
  readThrottle,
} from '../../lib/customers-api/throttle-wait.ts';
import { headFactsOf } from '../../lib/doctor/head-facts.ts';

const pages = ['client.md', 'pace.md']
  .map((page) => readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8'))
  .join()
  .toLowerCase();

test.each([...RETRY_HEADERS.map(([name]) => name), ...RESET_HEADERS])(
  'a wait by %s is read, shown by the doctor, and documented',
  (name) => {
    const headers = new Headers({ [name]: '7000' });

    expect(readThrottle(headers, 0, () => false).wait?.waitAsSent).toBe(`${name}: 7000`);
    expect(headFactsOf({ status: 429, headers }, 0, () => false).limitHeaders).toEqual([
      { name: name.toLowerCase(), value: '7000' },
    ]);
    expect(pages).toMatch(new RegExp(`\\b(?<!-)${name.toLowerCase()}\\b(?!-)`));
  },
);
