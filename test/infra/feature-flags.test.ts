import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { CustomersStack } from '../../infra/customers-stack.ts';
import { flagsOfCdkJson } from './cdk-json.ts';

const root = join(import.meta.dirname, '../..');
const settings = {
  baseUrl: 'https://api.example.com',
  connections: { demo: { schedule: 'rate(1 day)' } },
};

test('sets every flag that the CDK recommends, but for one', () => {
  const path = join(root, 'node_modules/aws-cdk-lib/recommended-feature-flags.json');
  const recommended = v.parse(
    v.record(v.string(), v.unknown()),
    JSON.parse(readFileSync(path, 'utf8')),
  );

  expect(flagsOfCdkJson()).toEqual({
    ...recommended,
    // Merged statements read worse, and could be tested only all together.
    '@aws-cdk/aws-iam:minimizePolicies': false,
  });
});

test('the flags change nothing: other tests, npm start and other apps have the template that is deployed', () => {
  const templateWith = (flags: object) => {
    const context = {
      ...flags,
      'customers-functions': settings,
      'aws:cdk:disable-asset-staging': true,
    };
    return Template.fromStack(new CustomersStack(new App({ context }), 'Stack')).toJSON();
  };

  expect(templateWith(flagsOfCdkJson())).toEqual(templateWith({}));
}, 180_000);
