import { once } from 'node:events';
import { createServer } from 'node:net';
import { SettingError } from '../../lib/errors.ts';
import { codeOf } from './file-problem.ts';

/** Why a server cannot listen at 127.0.0.1. @param setting Names the port. */
export function portProblem(setting: string, port: number, error: unknown): SettingError {
  const code = codeOf(error);
  const what =
    code === 'EADDRINUSE'
      ? `${port} is used by another program`
      : `cannot listen on ${port} (${code})`;
  return new SettingError(setting, `${what}. Choose another one, or 0 for any free one.`);
}

/** Tries a port that is listened on later, after work that would be in vain. @throws SettingError naming the setting. */
export async function requireFreePort(setting: string, port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw portProblem(setting, port, error);
  }
  await once(server.close(), 'close');
}
