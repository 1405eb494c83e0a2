import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { outputTo } from '../../../../infra/command/output.ts';
import { openStack, saying } from '../../../../infra/command/stack/open-stack.ts';
import { sampleSurroundings } from '../sample-surroundings.ts';

const before = { ...process.env };
beforeAll(() => {
  delete process.env['AWS_REGION'];
  Object.assign(process.env, { AWS_CONFIG_FILE: '/nowhere', AWS_ACCESS_KEY_ID: 'a' });
});
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

const refused = (name: string, message: string) =>
  saying(() => Promise.reject(Object.assign(new Error(message), { name })));

test.each([
  ['CredentialsProviderError', 'Sign in'],
  ['ExpiredTokenException', 'Sign in'],
  ['AccessDeniedException', 'docs/command.md'],
  ['ValidationError', 'Check --stack'],
])('an error of AWS named %s says what to do, whatever its words', async (name, hint) => {
  await expect(refused(name, 'Words that change.')).rejects.toThrow(
    `AWS: Words that change. ${hint}`,
  );
});

test('words of an error of AWS are no hint of what it is', async () => {
  await expect(
    refused('InternalError', 'AccessDenied: Stack with id x does not exist'),
  ).rejects.toThrow(/^AWS: AccessDenied: Stack with id x does not exist$/);
});

test('without a region it says where one is set', async () => {
  const surroundings = sampleSurroundings();
  const output = outputTo(surroundings, false);

  await expect(openStack({}, { ...surroundings, output })).rejects.toThrow(
    /no region.*AWS_REGION, or add --region/,
  );
});
