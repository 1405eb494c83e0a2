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

test('a rate that no connection may have is refused', () => {
  expect(() => NEW_KEY.read(['acme', '--requests-per-second', '0'])).toThrow(
    /^--requests-per-second: .*got 0/,
  );
});
