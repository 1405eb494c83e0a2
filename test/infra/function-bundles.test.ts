import { expect, test } from '@jest/globals';
import { deployedFunctions } from '../../infra/build/bundle-function.ts';
import { bundleContent } from './function-bundles.ts';

/**
 * Most KiB of each function's bundle, since V8 reads all of it at each start (npm run bench -- init).
 * Whoever raises a number says in the commit what the function got for it.
 */
const BUDGETS_KIB: Readonly<Record<string, number>> = {
  'apply-write': 445,
  'describe-export': 428,
  'http-api': 466,
  'list-changes': 360,
  'list-files': 359,
  'measure-exports': 289,
  'publish-changes': 382,
  'run-export': 641,
  'start-all-exports': 323,
  'start-export': 315,
  'wake-stalled': 337,
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
  const describes = /^lib\/schema\/|^lib\/exports\/(describe|list-schema|table-pointers)/;
  const withIt = bundles.filter(({ sources }) => sources.some((each) => describes.test(each)));

  expect(withIt.map(({ name }) => name)).toEqual(['describe-export']);
});

test.each(bundles)('$name holds no way to credentials that Lambda does not have', (bundle) => {
  const ways = /credential-provider|imds|token-providers|nested-clients/;

  expect(bundle.packages.filter((each) => ways.test(each))).toEqual([]);
});

test.each(bundles)(
  '$name holds of the clients no shape of calls that nobody makes, no stream of events, no package.json and no advice',
  ({ code }) => {
    expect(Buffer.from(code).toString()).not.toMatch(
      /IntelligentTiering|:event-type|devDependencies|install.{0,20}signature-v4/,
    );
  },
);

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
