import { expect, test } from '@jest/globals';
import { DOCTOR } from '../../../infra/command/doctor.ts';
import { NEW_KEY } from '../../../infra/command/new-key.ts';
import { runCommand } from '../../../infra/command/run-command.ts';
import { TRY } from '../../../infra/command/try.ts';
import { runStart } from '../../../infra/local/start/run-start.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

const API = ['--base-url', 'https://127.0.0.1:9'];

test.each([
  ['doctor', ['doctor', ...API]],
  ['try', ['try', ...API]],
  ['new-key', ['new-key', 'acme']],
  ['npm start', API],
])('%s takes no key where Node.js would print it or send it to anyone', async (name, args) => {
  const run = (surroundings: ReturnType<typeof sampleSurroundings>) =>
    name === 'npm start'
      ? runStart(args, surroundings)
      : runCommand([DOCTOR, TRY, NEW_KEY], args, surroundings);
  for (const [variable, value] of [
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
    ['NODE_DEBUG', 'https'],
  ]) {
    const surroundings = sampleSurroundings({ environment: { [`${variable}`]: value } });
    expect(await run(surroundings)).toBe(2);
    expect(surroundings.said.stderr).toMatch(new RegExp(`^${variable}: `));
  }
});
