import { expect, test } from '@jest/globals';
import { INVOKE_DEADLINE_MS } from '../../../../infra/command/stack/deployed-functions.ts';
import { propertiesOf, synthesizedStack } from '../../synthesized-stack.ts';

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
