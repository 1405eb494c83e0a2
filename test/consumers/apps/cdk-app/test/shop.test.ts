import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import * as cdk from 'aws-cdk-lib/core';
import { problem } from 'customers-functions/lambda';
import { startSimulator } from 'customers-functions/testing';
import * as Shop from '../lib/shop-stack';

const app = new cdk.App();
const template = Template.fromStack(new Shop.ShopStack(app, 'MyTestStack'));

test('Two integrations created', () => {
  template.resourceCountIs('AWS::DynamoDB::Table', 2);
  template.resourceCountIs('AWS::CloudWatch::Dashboard', 2);
});

test('Own function bundled small', () => {
  const functions = template.findResources('AWS::Lambda::Function');
  const own = Object.keys(functions).find((id) => id.startsWith('ReadCustomer')) ?? '';
  const hash = functions[own].Properties.Code.S3Key.replace('.zip', '');
  const { size } = statSync(join(app.outdir, `asset.${hash}`, 'index.mjs'));

  expect(size).toBeGreaterThan(100 * 1024);
  expect(size).toBeLessThanOrEqual(500 * 1024);
});

test('Entries for functions and tests loaded', () => {
  expect(typeof startSimulator).toBe('function');
  expect(problem('invalid-request', 'There is none.').kind).toBe('problem');
});
