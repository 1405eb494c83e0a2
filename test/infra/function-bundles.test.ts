import { expect, test } from '@jest/globals';
import { deployedFunctions } from '../../infra/build/bundle-function.ts';
import { bundleContent } from './function-bundles.ts';

/**
 * Most KiB of each function's bundle. 100 KiB more take about 10 ms more to start (npm run bench -- init).
 * Whoever raises a number says in the commit what the function got for it.
 */
const BUDGETS_KIB: Readonly<Record<string, number>> = {
  // 450 without limits that the API states, as in run-export (675) and start-export (340).
  'apply-write': 458,
  // 415 without comparing, and the ledger for it.
  'describe-export': 515,
  // 371 without writes.
  'http-api': 486,
  'list-changes': 440,
  'list-files': 435,
  // 310 without the names of connections that only Secrets Manager knows.
  // 365 without one way to say what is wrong with a setting.
  'measure-exports': 366,
  // 530 without the learned pace.
  'publish-changes': 475,
  // 665 without parts of zstd, pages that the next step takes over, and a bound for all bodies that are being read.
  'run-export': 688,
  'start-all-exports': 351,
  // 342 without a look for the key in addresses and names of headers, and for names in the queries of checks.
  'start-export': 344,
  // 340 without changes.
  'wake-stalled': 359,
};

/** The clients of AWS services that each function may hold; what it is not allowed to call it need not load. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  'apply-write': ['dynamodb', 'eventbridge', 'secrets-manager', 'sqs'],
  'describe-export': ['dynamodb', 'eventbridge', 's3', 'sqs'],
  'http-api': ['dynamodb', 'eventbridge', 'secrets-manager', 'sqs'],
  'list-changes': ['dynamodb', 's3'],
  'list-files': ['dynamodb', 's3'],
  'measure-exports': ['s3', 'secrets-manager'],
  'publish-changes': ['dynamodb', 'eventbridge', 's3', 'sqs'],
  'run-export': ['dynamodb', 'eventbridge', 's3', 'secrets-manager', 'sqs'],
  'start-all-exports': ['dynamodb', 'eventbridge', 'secrets-manager', 'sqs'],
  'start-export': ['dynamodb', 'eventbridge', 'secrets-manager', 'sqs'],
  'wake-stalled': ['dynamodb', 'eventbridge', 'secrets-manager', 'sqs'],
};

/** Functions that make requests to the API. */
const WITH_HTTP_CLIENT: readonly string[] = ['apply-write', 'http-api', 'run-export'];

/** A budget that is never reached would not notice what comes in. */
const MAX_UNUSED_SHARE = 0.1;

const bundles = await Promise.all(deployedFunctions().map(bundleContent));

test('every deployed function has a budget', () => {
  expect(bundles.map(({ name }) => name)).toEqual(Object.keys(BUDGETS_KIB).sort());
});

test.each(bundles)('$name keeps to its budget, which is a tight one', ({ name, kib }) => {
  const budget = BUDGETS_KIB[name] ?? 0;

  expect(kib).toBeLessThanOrEqual(budget);
  expect(kib).toBeGreaterThan(budget * (1 - MAX_UNUSED_SHARE));
});

test.each(bundles)('$name holds the clients that it calls and no other', ({ name, packages }) => {
  const clients = packages.flatMap((each) => /^@aws-sdk\/client-(.+)/.exec(each)?.[1] ?? []);

  expect(clients).toEqual(CLIENTS[name]);
  expect(packages.includes('ky')).toBe(WITH_HTTP_CLIENT.includes(name));
});

test('what describes exports is in no bundle but its own', () => {
  const describes = /^lib\/schema\/|^lib\/exports\/(describe|list-schema|point-tables)/;
  const withIt = bundles.filter(({ sources }) => sources.some((each) => describes.test(each)));

  expect(withIt.map(({ name }) => name)).toEqual(['describe-export']);
});

test.each(bundles)('$name holds no way to credentials that Lambda does not have', (bundle) => {
  const ways = /credential-provider|imds|token-providers|nested-clients/;

  expect(bundle.packages.filter((each) => ways.test(each))).toEqual([]);
});

test.each(bundles)(
  '$name is the same on every machine: it names no folder of this one',
  (bundle) => {
    const text = Buffer.from(bundle.code).toString();

    expect(text).not.toContain(process.cwd());
    expect(text).not.toContain('node_modules');
  },
);

test.each(bundles)(
  '$name starts without node:http, which loads the whole of fetch with it, and without node:util, which loads workers: the SDK imports node:http where an address is http',
  ({ code }) => {
    const atStart = /(?:from|import)\s*"(?:node:)?(?:http|util)"/;

    expect(Buffer.from(code).toString()).not.toMatch(atStart);
  },
);
