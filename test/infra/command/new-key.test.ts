import { expect, test } from '@jest/globals';
import { parseSecret, type SecretKey } from '../../../functions/aws/parse-secret.ts';
import { NEW_KEY } from '../../../infra/command/new-key.ts';
import { startSampleIntegration } from './sample-integration.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

test('each member of a secret can be given again with a new key', async () => {
  const integration = await startSampleIntegration();
  try {
    const settings = {
      organization: 'acme',
      baseUrl: 'https://api.example.com',
      header: 'X-Api-Token',
      requestsPerSecond: 2.5,
    } satisfies Required<Omit<SecretKey, 'kind' | 'key'>>;
    const named = Object.entries(settings).map(
      ([name, value]) =>
        `--${name.replaceAll(/[A-Z]/g, (each) => `-${each.toLowerCase()}`)}=${value}`,
    );
    const surroundings = sampleSurroundings();
    surroundings.stdin.end('key-of-acme-0123456789\n');
    let stored = '';
    integration.secret = ({ body }) => {
      stored = JSON.parse(body).SecretString;
      return [200, { VersionId: 'v2' }];
    };
    expect(await integration.run(['new-key', 'acme', ...named], surroundings)).toMatchObject({
      exitCode: 0,
    });

    expect(parseSecret(stored)).toMatchObject({ kind: 'key', ...settings });
  } finally {
    integration.stop();
  }
});

test.each([
  ['a new version', []],
  ['a new secret', ['ResourceNotFoundException']],
])('the key is not shown where the service quotes it in its error: %s', async (_, earlier) => {
  const integration = await startSampleIntegration();
  try {
    const key = 'key-of/acme-"0123456789';
    const surroundings = sampleSurroundings();
    surroundings.stdin.end(`${key}\n`);
    const errors = earlier.map((type) => [400, { __type: type, message: 'none' }] as const);
    integration.secret = ({ body }) => {
      const { SecretString: quoted } = JSON.parse(body);
      const message = `Value '${quoted}' at 'secretString' is not valid`;
      return errors.pop() ?? [400, { __type: 'ValidationException', message }];
    };
    const args = ['new-key', 'acme', '--organization', 'acme'];

    expect(await integration.run(args, surroundings)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `AWS: Value '{"apiKey":"[redacted]","organization":"acme"}' at 'secretString' is not valid.\n`,
    });
  } finally {
    integration.stop();
  }
});

test('a rate that no connection may have is refused', () => {
  expect(() => NEW_KEY.read(['acme', '--requests-per-second', '0'])).toThrow(
    /^--requests-per-second: .*got 0/,
  );
});
