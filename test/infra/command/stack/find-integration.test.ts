import { expect, test } from '@jest/globals';
import {
  chosenIntegration,
  integrationsIn,
} from '../../../../infra/command/stack/find-integration.ts';

/** What every integration has, each name with these letters before it. */
const outputsOf = (prefix: string, id: string, more: object = {}) => {
  const own = {
    IntegrationId: id,
    SecretPrefix: `${id}/`,
    LedgerTableName: 'table',
    ExportBucketName: 'bucket',
    ...more,
  };
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [prefix + name, value]));
};
const STACKS = [
  { name: 'One', outputs: outputsOf('', 'One', { HttpApiUrl: 'https://one' }) },
  {
    name: 'Two',
    outputs: {
      ...outputsOf('Customers', 'a', { HttpApiUrl: 'https://a' }),
      ...outputsOf('Other', 'b'),
    },
  },
  { name: 'Nothing', outputs: { BucketName: 'x' } },
  // Of another product, with an API of its own.
  { name: 'Else', outputs: { IntegrationId: 'c', HttpApiUrl: 'https://c' } },
];
const found = integrationsIn(STACKS);
const choose = (stack?: string, integration?: string) =>
  chosenIntegration(found, { stack, integration });

test('finds every integration by its outputs, each with its own, and no stack of something else', () => {
  expect(found.map(({ stack, id }) => [stack, id])).toEqual([
    ['One', 'One'],
    ['Two', 'a'],
    ['Two', 'b'],
  ]);
  expect(choose('One').output('HttpApiUrl')).toBe('https://one');
  expect(choose(undefined, 'a').output('HttpApiUrl')).toBe('https://a');
  expect(choose('Two', 'b').output('HttpApiUrl')).toBe(undefined);
});

test.each([
  [undefined, undefined, 'There are 3 integrations'],
  ['Two', undefined, 'There are 2 integrations'],
  ['Two', 'c', 'No integration fits'],
])('of stack %s and integration %s it lists what to add', (stack, integration, problem) => {
  expect(() => choose(stack, integration)).toThrow(problem);
  expect(() => choose(stack, integration)).toThrow('\n  --stack Two --integration b');
});

test('without any it says what to check', () => {
  expect(() => chosenIntegration([], { stack: undefined, integration: undefined })).toThrow(
    /^No integration was found.*--region and --profile/,
  );
});
