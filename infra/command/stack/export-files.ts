import { hash } from 'node:crypto';
import * as v from 'valibot';
import { CommandError } from '../command-error.ts';
import { type OpenExport, readAs } from './shown-export.ts';
import { storedBytes } from './stored-bytes.ts';

const FileSchema = v.object({
  kind: v.picklist(['manifest', 'part', 'schema']),
  key: v.string(),
  bytes: v.number(),
  sha256: v.string(),
  url: v.string(),
});
const PageSchema = v.object({ files: v.array(FileSchema), next: v.nullable(v.string()) });

/** A file of a completed export, with a URL that reads it for some minutes. */
export type RemoteFile = v.InferOutput<typeof FileSchema>;

/** So few that each is downloaded long before its URL ends (15 min). */
const FILES_A_PAGE = 10;
/** Of the route. */
const MAX_FILES_A_PAGE = 500;
/** A second time for a connection that breaks. */
const TRIES = 3;

const OK = 200;
const OTHER_BYTES = 'its SHA-256 is another one than the manifest says';

/**
 * The manifest first, then the parts in the order of the list, then the description of the records.
 *
 * @param filesAPage @default so few that each is downloaded in time
 */
export async function* filesOf(
  { api, connection, exportId }: OpenExport,
  filesAPage = FILES_A_PAGE,
): AsyncGenerator<RemoteFile, void> {
  let after: string | undefined;
  do {
    const query = { limit: String(filesAPage), after };
    const page = await api.ask(connection, ['exports', exportId, 'files'], { query });
    const { files, next } = readAs(PageSchema, page);
    yield* files;
    after = next ?? undefined;
  } while (after !== undefined);
}

/** The texts of a completed export that say how it went, without its parts. */
export async function textsOf(
  opened: OpenExport,
  signal: AbortSignal,
): Promise<Partial<Record<'manifest' | 'schema', string>>> {
  const texts: Partial<Record<'manifest' | 'schema', string>> = {};
  for await (const file of filesOf(opened, MAX_FILES_A_PAGE)) {
    if (file.kind !== 'part') texts[file.kind] = (await downloaded(file, signal)).toString();
  }
  return texts;
}

/**
 * The bytes as they are stored.
 *
 * @throws CommandError when they are others than the manifest says, or do not come.
 */
export async function downloaded(
  { url, key, sha256 }: RemoteFile,
  signal: AbortSignal,
): Promise<Buffer> {
  let problem = '';
  for (let tries = 0; tries < TRIES; tries++) {
    signal.throwIfAborted();
    try {
      const { status, body } = await storedBytes(url, signal);
      if (status === OK && hash('sha256', body) === sha256) return body;
      problem = status === OK ? OTHER_BYTES : `status ${status}`;
    } catch (error) {
      problem = error instanceof Error ? error.message : 'no answer';
    }
  }
  signal.throwIfAborted();
  throw new CommandError(
    `${key} could not be downloaded: ${problem}. Run the command again: what is there stays.`,
  );
}
