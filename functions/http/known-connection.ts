import * as v from 'valibot';
import type { ExportSettings } from '../../lib/exports/export-settings.ts';
import { ConnectionNameSchema } from '../connection-settings.ts';
import { type Problem, problem } from './problem.ts';
import { type Request, readFields } from './request.ts';

interface KnownConnection {
  readonly kind: 'connection';
  readonly connection: string;
  readonly settings: ExportSettings;
}

const PathSchema = v.object({ connection: ConnectionNameSchema });

/** The connection that the path names. Nothing else of a request ever says whose key is used. */
export function knownConnection(
  { path }: Request,
  settingsOf: (connection: string) => ExportSettings | undefined,
): KnownConnection | Problem {
  const read = readFields(PathSchema, path);
  if (read.kind === 'problem') return read;
  const { connection } = read.fields;
  const settings = settingsOf(connection);
  if (settings !== undefined) return { kind: 'connection', connection, settings };
  return problem(
    'unknown-connection',
    'connection: expected the name of a connection of this stack. Look at connections in the settings of the stack.',
    { field: 'connection' },
  );
}
