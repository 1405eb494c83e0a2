import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

import { COMMANDS } from '../../infra/command/commands.ts';
import { runCommand } from '../../infra/command/run-command.ts';
import { runStart } from '../../infra/local/start/run-start.ts';
import { sampleSurroundings } from '../infra/command/sample-surroundings.ts';

// All that these tests know of the house is in this file: when files move, only this one is repaired.
export type { Fault } from '../../infra/simulator/faults.ts';
export { type Simulator, startSimulator } from '../../infra/simulator/simulator.ts';
export { signedFetch } from '../infra/local/signed-fetch.ts';
export { startStackWorld } from '../infra/local/stack-world.ts';

/** What a program leaves. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where package.json and cdk.json are. */
export const ROOT = join(import.meta.dirname, '../..');

const PackageSchema = v.object({ scripts: v.record(v.string(), v.string()) });
const CdkSchema = v.object({ context: v.record(v.string(), v.unknown()) });

/** What npm runs for a script, without npm, which takes half a second and prints lines of its own. */
export function npmScript(name: string): readonly string[] {
  const { scripts } = v.parse(PackageSchema, jsonFile('package.json'));
  return wordsOf(scripts[name] ?? '');
}

/** What `npm start` does, in this process: one of its own takes most of its time for its start. */
export async function startHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const surroundings = sampleSurroundings({ environment });
  const code = await runStart(args, surroundings);
  return { code, ...surroundings.said };
}

/** What `npm run simulator` does, as far as it ends by itself. */
export async function simulateHere(args: readonly string[]): Promise<Ended> {
  const surroundings = sampleSurroundings();
  const code = await runCommand(COMMANDS, ['simulate', ...args], surroundings);
  return { code, ...surroundings.said };
}

/** The context that the CDK's command line hands over with the settings of the example. */
export function exampleContext(): Readonly<Record<string, unknown>> {
  const { context } = v.parse(CdkSchema, jsonFile('cdk.json'));
  return { ...context, settings: join(ROOT, 'docs/examples/customers.settings.json') };
}

/** The arguments of a command line that begins with `node`. */
function wordsOf(line: string): readonly string[] {
  const [program, ...words] = line.split(' ');
  if (program === 'node' && words.length > 0) return words;
  throw new Error(`expected a command line that begins with node, got ${line}`);
}

function jsonFile(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}
