import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalStack, LocalStackOptions } from '../../../infra/local/local-stack.ts';
import type { SimulatorOptions } from '../../../infra/simulator/options.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import { startCheckedStack } from './checked-stack.ts';
import { synthesizeStack } from './whole-stack/assembly.ts';

export interface StackWorld {
  readonly api: Simulator;
  readonly stack: LocalStack;
  /** What the functions have logged so far. */
  readonly lines: readonly string[];
  /** Of files that end with all of it. */
  readonly folder: string;
  /** Ends all of it, and fails when a call was refused. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a simulated API, and beside it the stack that is deployed, whose functions ask and trust it.
 *
 * @param settings Of the stack; `baseUrl` is the API's in any case.
 */
export async function startStackWorld(
  apiOptions: SimulatorOptions,
  settings: object,
  options: Omit<LocalStackOptions, 'assembly' | 'environment' | 'onLog'> = {},
): Promise<StackWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'stack-world-'));
  const api = await startSimulator(apiOptions);
  const lines: string[] = [];
  let stack: LocalStack | undefined;
  const close = async () => {
    try {
      await stack?.stop();
    } finally {
      await api.close();
      rmSync(folder, { recursive: true });
    }
  };
  try {
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, api.caPem);
    const assembly = join(folder, 'assembly');
    synthesizeStack({ ...settings, baseUrl: api.url }, assembly);
    stack = await startCheckedStack({
      ...options,
      ...{ assembly, environment: { NODE_EXTRA_CA_CERTS: caFile } },
      onLog: ({ line }) => lines.push(line),
    });
    return { api, stack, lines, folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}
