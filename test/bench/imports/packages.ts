import { bundleCode } from '../import-times.ts';
import type { Question } from './question.ts';

const EMPTY = 'empty handler';

const CODES = {
  [EMPTY]: 'export const handler = () => {};',
  '@middy/core': "import middy from '@middy/core'; export const handler = middy();",
  valibot: "import * as v from 'valibot'; export const handler = v.object({ a: v.string() });",
  "Node's own fetch": 'export const handler = Request;',
  ky: "import ky from 'ky'; export const handler = ky;",
};

/** What a function is made of besides SDK clients. */
export function packages(): Question {
  return {
    title: 'Without an SDK client',
    rows: Object.entries(CODES).map(([what, code]) => ({
      what,
      bundle: bundleCode(code),
      ...(what === EMPTY ? {} : { beside: EMPTY }),
    })),
  };
}
