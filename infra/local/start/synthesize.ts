import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { connectionSettingsOf } from '../../../functions/services/connection-settings.ts';
import { SettingError } from '../../../lib/errors.ts';
import { CommandError } from '../../command/command-error.ts';
import { KEY_VARIABLE } from '../../command-line/ask-key.ts';
import { checkSpace } from '../../command-line/disk-error.ts';
import { CONTEXT_KEY, customersSettingsOf } from '../../settings/customers-settings.ts';
import type { StartOptions } from './start-options.ts';

const APP = fileURLToPath(new URL('../../app.ts', import.meta.url));

/** Stands in the settings of the stack for an address that is in the connection's secret. */
export const ADDRESS_IN_SECRET = 'https://api.invalid';

export interface ApiContext {
  readonly baseUrl: string;
  readonly operations: readonly unknown[];
}

/** The settings of a stack with one connection. */
export interface StackContext {
  readonly context: object;
  /** Names of the connection's lists, in the order of their turns. */
  readonly lists: readonly string[];
}

/**
 * Checks the settings of a stack with one connection.
 *
 * @throws SettingError naming the path of a setting that is wrong.
 */
export function stackContext(
  { connection, settings }: Pick<StartOptions, 'connection' | 'settings'>,
  api: ApiContext,
): StackContext {
  const context = { ...api, connections: { [connection]: settings } };
  const { connectionTable } = customersSettingsOf(context);
  const lists = [...connectionSettingsOf(connectionTable, connection).lists.keys()];
  if (lists.length > 0) return { context, lists };
  throw new SettingError('--lists', 'leaves out every list, so there is nothing to export');
}

/**
 * Synthesizes the stack that is deployed, in a process of its own as the CDK does.
 *
 * @throws CommandError with what the CDK said if it failed; DiskError if the directory takes no more files.
 */
export async function synthesize(
  context: object,
  directory: string,
  signal: AbortSignal,
  onProcess: (child: ChildProcess) => void = () => {},
): Promise<void> {
  // The key is no business of the CDK.
  const { [KEY_VARIABLE]: _key, ...environment } = process.env;
  const child = spawn(process.execPath, [APP], {
    signal,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...environment,
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON: JSON.stringify({ [CONTEXT_KEY]: context }),
      // CloudFormation's own rules take as long as all else; `npm run synth` checks them.
      CDK_VALIDATION: 'false',
    },
  });
  onProcess(child);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code === 0) return;
  await checkSpace(directory);
  throw new CommandError(`The stack could not be synthesized:\n${said}`);
}
