import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { askKey, promptHidden } from '../../../infra/command-line/ask-key.ts';

const QUESTION = 'API key (not shown): ';

function terminal() {
  const interrupt = new AbortController();
  const input = new PassThrough();
  const output = new PassThrough();
  const answer = promptHidden(QUESTION, interrupt, input, output);
  return { interrupt, input, output, answer };
}

test('takes the line without showing it', async () => {
  const { input, output, answer } = terminal();
  input.write('canary\r');

  expect(await answer).toBe('canary');
  output.end();
  expect(await text(output)).toBe(`${QUESTION}\n`);
});

test('Ctrl-C interrupts, although the terminal sends it as a character here', async () => {
  const { interrupt, input, answer } = terminal();
  input.write('can\u0003');

  await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  expect(interrupt.signal.aborted).toBe(true);
});

test('an interruption from elsewhere ends it too', async () => {
  const { interrupt, answer } = terminal();
  interrupt.abort();

  await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
});

test.each([
  ['Ctrl-D', '\u0004'],
  ['the end of the input', undefined],
])('%s is no answer, and no interruption', async (_title, typed) => {
  const { interrupt, input, answer } = terminal();
  if (typed === undefined) input.end();
  else input.write(typed);

  expect(await answer).toBeUndefined();
  expect(interrupt.signal.aborted).toBe(false);
});

test.each([
  ['id-key', { 'id-key': 'canary-key-4711' }],
  ['meta-keys.total', { 'meta-keys': { total: 'of canary-key-4711' } }],
  ['out', { out: './canary-key-4711/files' }],
])('refuses a key that is in the option %s too', async (place, options) => {
  const environment = { CUSTOMERS_API_KEY: 'canary-key-4711' };
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const asking = askKey(new AbortController(), { environment, stdin, stderr }, options);

  await expect(asking).rejects.toMatchObject({
    message: `${place}: holds the key. Take it out, and consider the key exposed`,
  });
});
