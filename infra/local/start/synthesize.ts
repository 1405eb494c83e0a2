import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SettingError } from '../../../lib/errors.ts';
import { CONTEXT_KEY, customersSettingsOf } from '../../settings/customers-settings.ts';
import { KEY_VARIABLE } from './ask-key.ts';
import type { StartOptions } from './start-options.ts';

const APP = fileURLToPath(new URL('../../app.ts', import.meta.url));

/**
 * Synthesizes the stack that is deployed, for one connection, in a process of its own as the CDK does.
 *
 * @param directory Gets the cloud assembly.
 * @throws SettingError naming the path of a setting that is wrong; it holds what the CDK said if it failed.
 */
export async function synthesize(
  { connection, settings }: StartOptions,
  api: { readonly baseUrl: string; readonly operations: readonly unknown[] },
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const context = { ...api, connections: { [connection]: settings } };
  customersSettingsOf(context);
  // The key is no business of the CDK.
  const { [KEY_VARIABLE]: _key, ...environment } = process.env;
  const child = spawn(process.execPath, [APP], {
    signal,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...environment,
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON: JSON.stringify({ [CONTEXT_KEY]: context }),
    },
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new SettingError('The stack', `could not be synthesized:\n${said}`);
}
