import type { OpenKey } from '../../lib/gate/ports.ts';
import type { WriteMessage } from '../../lib/writes/write-request.ts';
import type { WriteSettings } from '../../lib/writes/write-settings.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { Services } from './services.ts';

type Lookup = Pick<Services<OpenKey>, 'isKnown' | 'settingsOf' | 'connections'>;

interface Found {
  readonly settings: WriteSettings;
  /** Whether new writes are accepted. */
  readonly isKnown: boolean;
}

/**
 * Looks up the settings of all connections that the messages of a batch name, with the rate that a secret
 * sets, which is stronger.
 *
 * @returns What gives `undefined` for a message that asks for a write of a connection that is not there. A
 * pointer always has settings: its write was accepted, though the secret may have been deleted since.
 */
export async function batchSettings(
  services: Lookup,
  messages: readonly WriteMessage[],
  log: Log,
): Promise<(message: WriteMessage) => WriteSettings | undefined> {
  const asked = new Set(messages.filter(({ kind }) => kind === 'request').map(connectionOf));
  const lookups = [...new Set(messages.map(connectionOf))].map(
    async (connection) =>
      [connection, await lookUp(services, connection, asked.has(connection), log)] as const,
  );
  const found = new Map(await Promise.all(lookups));
  return (message) => {
    const { settings, isKnown = false } = found.get(connectionOf(message)) ?? {};
    return isKnown || message.kind === 'pointer' ? settings : undefined;
  };
}

function connectionOf(message: WriteMessage): string {
  return message.kind === 'request' ? message.request.connection : message.pointer.connection;
}

async function lookUp(
  { isKnown, settingsOf, connections }: Lookup,
  connection: string,
  isAsked: boolean,
  log: Log,
): Promise<Found> {
  const { write: settings } = settingsOf(connection);
  try {
    // Without a secret there is no rate of its own either.
    if (isAsked && !(await isKnown(connection))) return { settings, isKnown: false };
    const opened = await connections.open(connection, 'cached');
    const rate = opened.kind === 'open' ? opened.requestsPerSecond : undefined;
    const withRate = rate === undefined ? settings : { ...settings, requestsPerSecond: rate };
    return { settings: withRate, isKnown: true };
  } catch (error) {
    // Whoever sends meets the same and brings its own message back.
    log.warn('Key not read', { connection, ...errorFields(error) });
    return { settings, isKnown: true };
  }
}
