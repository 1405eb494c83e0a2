import * as v from 'valibot';
import type { ExportSettings } from '../../lib/exports/export-settings.ts';
import { ConnectionNameSchema } from '../connection-settings.ts';
import { type Problem, problem } from './problem.ts';
import { type Request, readFields } from './request.ts';
import type { ApiServices } from './route.ts';

interface KnownConnection {
  readonly kind: 'connection';
  readonly connection: string;
  readonly settings: ExportSettings;
}

const PathSchema = v.object({ connection: ConnectionNameSchema });

/** The connection that the path names. Nothing else of a request ever says whose key is used. */
export async function knownConnection(
  { path }: Request,
  { isKnown, settingsOf }: Pick<ApiServices, 'isKnown' | 'settingsOf'>,
): Promise<KnownConnection | Problem> {
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
