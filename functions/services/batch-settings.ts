import type { WriteMessage } from '../../lib/writes/write-request.ts';
import type { WriteSettings } from '../../lib/writes/write-settings.ts';
import { errorFields, type Log } from '../middleware/log.ts';
import type { WriteServices } from './write-services.ts';

interface Lookup extends Pick<WriteServices, 'isKnown' | 'settingsOf'> {
  readonly connections: WriteServices['ports']['connections'];
}

/**
 * Looks up the settings of all connections that the messages of a batch name: for who asks for a write, only
 * of a connection that is there; and with the rate that a secret tells, which is stronger.
 *
 * @returns What gives `undefined` for a connection that is not there.
 */
export async function batchSettings(
  services: Lookup,
  messages: readonly WriteMessage[],
  log: Log,
): Promise<(connection: string) => WriteSettings | undefined> {
  const found = new Map<string, Promise<WriteSettings | undefined>>();
  for (const message of messages) {
    const { connection } = message.kind === 'request' ? message.request : message.pointer;
    // A write that was accepted has a connection, though its secret may have been deleted since.
    const isAccepted = message.kind === 'pointer';
    if (isAccepted || !found.has(connection)) {
      found.set(connection, settingsOf(services, connection, isAccepted, log));
    }
  }
  const entries = [...found].map(async ([name, settings]) => [name, await settings] as const);
  const settings = new Map(await Promise.all(entries));
  return (connection) => settings.get(connection);
}

async function settingsOf(
  { isKnown, settingsOf, connections }: Lookup,
  connection: string,
  isAccepted: boolean,
  log: Log,
): Promise<WriteSettings | undefined> {
  const settings = settingsOf(connection);
  try {
    if (!isAccepted && !(await isKnown(connection))) return undefined;
    const opened = await connections.open(connection, 'cached');
    const told = opened.kind === 'open' ? opened.requestsPerSecond : undefined;
    return told === undefined ? settings : { ...settings, requestsPerSecond: told };
  } catch (error) {
    // Whoever sends meets the same and brings its own message back.
    log.warn('Key not read', { connection, ...errorFields(error) });
    return settings;
  }
}
