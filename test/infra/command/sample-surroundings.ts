import { PassThrough } from 'node:stream';
import type { OutputStream, Surroundings } from '../../../infra/command/surroundings.ts';

/** What a command finds in a test, and what it has written there. */
export interface SampleSurroundings extends Surroundings {
  readonly said: { stdout: string; stderr: string };
  readonly stdin: PassThrough;
}

/** No terminal, nothing in the environment, and a clock that stands still until it is waited. */
export function sampleSurroundings(
  others: Partial<Pick<Surroundings, 'environment' | 'stdout' | 'stderr'>> = {},
): SampleSurroundings {
  const said = { stdout: '', stderr: '' };
  const interrupt = new AbortController();
  let nowMs = Date.parse('2026-05-01T00:00:00Z');
  const into = (name: 'stdout' | 'stderr', stream: Partial<OutputStream> = {}): OutputStream => ({
    ...stream,
    write: (text) => {
      said[name] += text;
    },
  });
  return {
    said,
    stdout: into('stdout', others.stdout),
    stderr: into('stderr', others.stderr),
    stdin: new PassThrough(),
    environment: others.environment ?? {},
    interrupt,
    now: () => nowMs,
    wait: async (ms) => {
      nowMs += ms;
    },
  };
}
