import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { keyMask } from '../../../../infra/constructs/foundation/key-mask.ts';

const KEY = 'Zk3-plain_Key/with+all=of.them';

interface Identifier {
  readonly Name: string;
  readonly Regex: string;
}

function policyOf(headers: readonly string[], patterns: readonly string[]) {
  const stack = new Stack(new App(), 'Stack');
  new LogGroup(stack, 'Log', { dataProtectionPolicy: keyMask(headers, patterns) });
  const [log] = Object.values(Template.fromStack(stack).findResources('AWS::Logs::LogGroup'));
  return log?.['Properties'].DataProtectionPolicy;
}

const identifiersOf = (headers: readonly string[], patterns: readonly string[] = []) =>
  policyOf(headers, patterns).Configuration.CustomDataIdentifier;

function masked(text: string, headers: readonly string[] = []): string {
  return identifiersOf(headers).reduce(
    (rest: string, { Regex }: Identifier) => rest.replace(new RegExp(Regex, 'g'), '****'),
    text,
  );
}

test.each<[string, string]>([
  ['a header as it is sent', `API-KEY: ${KEY}\r\n`],
  ['a header in small letters', `api-key: ${KEY}`],
  ['a header object, printed', inspect({ 'API-KEY': KEY })],
  ['raw headers, printed', inspect(['API-KEY', KEY])],
  ['a header as JSON', JSON.stringify({ headers: { 'api-key': KEY } })],
  ['the JSON of a secret', JSON.stringify({ apiKey: KEY })],
  ['JSON inside of JSON', JSON.stringify({ message: JSON.stringify({ apiKey: KEY }) })],
  ['a variable', `CUSTOMERS_API_KEY=${KEY}`],
  ['another usual name', `X-Api-Key: ${KEY}`],
])('masks %s', (_, text) => {
  expect(masked(text)).not.toContain(KEY);
});

test.each([
  'API-KEY authentication failed',
  'The API-KEY header was rejected; store another key as a new version of its secret',
  'apiKey: the secret is empty',
  JSON.stringify({ message: 'Step', requestId: '0f3c7a4e-5a39-4f6e-9a0b-1f1f52a9f0a3' }),
])('leaves what holds no key as it is: %s', (text) => {
  expect(masked(text)).toBe(text);
});

test('masks the values of headers that connections use, in any case', () => {
  const headers = ['X-Auth-Token', 'X-Auth-Token', "odd'header~name"];

  expect(masked(`x-auth-token: ${KEY}`, headers)).not.toContain(KEY);
  expect(masked(`ODD'HEADER~NAME: ${KEY}`, headers)).not.toContain(KEY);
  expect(identifiersOf(headers)).toHaveLength(3);
});

test('knows a header whose name is too long for an expression by its end', () => {
  const header = `X-${'Very-'.repeat(40)}Long-Token`;

  expect(masked(`${header}: ${KEY}`, [header])).not.toContain(KEY);
});

test('masks what is found, in a policy that finds and masks the same', () => {
  const { Statement } = policyOf([], ['cust_[a-z]{32}']);

  expect(Statement).toEqual([
    expect.objectContaining({
      DataIdentifier: ['ApiKey-0', 'ApiKey-1'],
      Operation: { Audit: { FindingsDestination: {} } },
    }),
    expect.objectContaining({
      DataIdentifier: ['ApiKey-0', 'ApiKey-1'],
      Operation: { Deidentify: { MaskConfig: {} } },
    }),
  ]);
});

// CloudWatch Logs user guide, "Custom data identifier constraints".
test('writes only what CloudWatch takes', () => {
  const headers = ["!#$%&'*+-.^_`|~09AZaz", `X-${'Very-'.repeat(40)}Long-Token`];

  for (const { Name, Regex } of identifiersOf(headers, ['cust_[a-z]{32}'])) {
    expect(Name).toMatch(/^[\w-]{1,128}$/);
    expect(Regex).toMatch(/^[A-Za-z0-9_#=@/;, ^$?[\]{}|\\*+.-]{1,200}$/);
    expect(() => new RegExp(Regex)).not.toThrow();
  }
});

test('fails for more patterns than CloudWatch takes', () => {
  const patterns = Array.from({ length: 9 }, (_, index) => `key-${index}-[a-z]+`);

  expect(identifiersOf([], patterns)).toHaveLength(10);
  expect(() => keyMask(['X-Token'], patterns)).toThrow(
    'keyPatterns: CloudWatch takes 10 patterns; ours and those of the headers of connections are 2, got 9 more',
  );
});
