import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fileProblem } from '../../../infra/command-line/file-problem.ts';

const KEY = 'KEYabcdefgh1234567890';
const told = (path: string) =>
  fileProblem('--ca', 'write', path, Object.assign(new Error(), { code: 'ENOENT' })).message;

test.each([
  ['/nonexistent/ca.pem', '…/ca.pem'],
  [`/${KEY}/requests.log`, '…/requests.log'],
  [join(tmpdir(), 'none', 'ca'), `the path of ${tmpdir().length + 8} characters that was given`],
  [KEY, 'the path of 21 characters that was given'],
  [`${KEY}/x`, 'the path of 23 characters that was given'],
  [join(tmpdir(), 'ca'), join(tmpdir(), 'ca')],
])('%s is told so far as it shows no key: %s', (path, shown) => {
  expect(told(path)).toBe(`--ca: cannot write ${shown}: there is no such folder (ENOENT)`);
});
