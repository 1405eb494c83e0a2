import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { defaultProvider } from '../../../functions/aws/lambda-credentials.ts';

const BEFORE = { ...process.env };
beforeEach(() => {
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
  });
});
afterEach(() => {
  process.env = { ...BEFORE };
});

test("takes the credentials of the function's role from the variables that Lambda sets", async () => {
  expect(await defaultProvider()()).toEqual({
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    sessionToken: 'token',
  });
});

test('does without a session token', async () => {
  delete process.env['AWS_SESSION_TOKEN'];

  expect(await defaultProvider()()).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret' });
});

test.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])(
  'names %s when it is not there',
  async (name) => {
    process.env[name] = '';

    await expect(defaultProvider()()).rejects.toMatchObject({
      name: 'SettingError',
      setting: name,
    });
  },
);
