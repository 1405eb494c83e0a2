import { createServer } from 'node:http';
import { afterEach, expect, jest, test } from '@jest/globals';
import {
  deployedFunctions,
  INVOKE_DEADLINE_MS,
} from '../../../../infra/command/stack/deployed-functions.ts';
import { listen } from '../../../functions/aws/local-server.ts';
import { propertiesOf, synthesizedStack } from '../../synthesized-stack.ts';
import { sha256 } from './sha256.ts';

test('waits for an invoked function longer than that may take', () => {
  const connections = { demo: {} };
  const template = synthesizedStack({ baseUrl: 'https://api.example.com', connections });
  const starts = propertiesOf(template, 'AWS::Lambda::Function').filter((each) =>
    /^Starts an export/.test(String(each['Description'])),
  );

  expect(starts.length).toBe(1);
  for (const { Timeout: seconds } of starts) {
    expect(INVOKE_DEADLINE_MS).toBeGreaterThan(Number(seconds) * 1_000);
  }
});

afterEach(() => {
  jest.restoreAllMocks();
});

type Functions = ReturnType<typeof deployedFunctions>;

test.each<[string, boolean, (functions: Functions) => Promise<unknown>]>([
  ['an invoked function', true, ({ invoke }) => invoke('team-start', {})],
  ['the environment of one', false, ({ environmentOf }) => environmentOf('team-start')],
  ['who the person is', false, ({ callerArn }) => callerArn()],
])('waits for %s as long as that may take', async (_, acts, ask) => {
  const { url, close } = await listen(createServer(() => {}));
  const waited: number[] = [];
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    waited.push(ms);
    return AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  });
  const credentials = { accessKeyId: 'somebody', secretAccessKey: 'secret' };
  const { signal } = new AbortController();
  const signer = { region: async () => 'eu-central-1', credentials, sha256, signal };

  await expect(ask(deployedFunctions(signer, { AWS_ENDPOINT_URL: url }))).rejects.toThrow(
    acts ? 'may be done all the same' : 'Check the network, and --region.',
  );
  expect(waited).toEqual([acts ? INVOKE_DEADLINE_MS : 10_000]);
  await close();
});
