import * as v from 'valibot';
import { ConnectionNameSchema } from '../services/connection-settings.ts';
import { type Problem, problem } from './problem.ts';
import { type Request, readFields } from './request.ts';

interface KnownConnection<Settings> {
  readonly kind: 'connection';
  readonly connection: string;
  readonly settings: Settings;
}

interface ConnectionLookup<Settings> {
  readonly isKnown: (connection: string) => Promise<boolean>;
  readonly settingsOf: (connection: string) => Settings;
}

const PathSchema = v.object({ connection: ConnectionNameSchema });

/** The connection that the path names. Nothing else of a request ever says whose key is used. */
export async function knownConnection<Settings>(
  { path }: Request,
  { isKnown, settingsOf }: ConnectionLookup<Settings>,
): Promise<KnownConnection<Settings> | Problem> {
  const read = readFields(PathSchema, path);
  if (read.kind === 'problem') return read;
  const { connection } = read.fields;
  if (await isKnown(connection)) {
    return { kind: 'connection', connection, settings: settingsOf(connection) };
  }
  return problem(
    'unknown-connection',
    'connection: expected the name of a connection of this stack. A connection is there as soon as its key is stored.',
    { field: 'connection' },
  );
}
