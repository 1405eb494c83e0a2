import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { inertTypes, knownTypeOf, resourceTypes } from '../../../infra/local/resource-types.ts';

/** `AWS::SQS::QueuePolicy` is in `sqs-queue-policy.ts`. */
const fileOf = (type: string) => {
  const [, ...names] = type.split('::');
  const words = names.join('-').replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-');
  return `${words.toLowerCase()}.ts`;
};

test('each file of the folder is one type of the list, and named like it', () => {
  const files = readdirSync(new URL('../../../infra/local/resources', import.meta.url));
  expect(resourceTypes.map(({ type }) => fileOf(type)).sort()).toEqual(files.sort());
});

test('no type is both made and left out', () => {
  const types = [...resourceTypes, ...inertTypes].map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
});

test('refuses a type it does not know, and says what to do', () => {
  expect(() => knownTypeOf('AWS::SES::Template', 'Mail')).toThrow(
    /^Mail \(AWS::SES::Template\): .*does not know this resource type: add a file to infra\/local\/resources/,
  );
});
