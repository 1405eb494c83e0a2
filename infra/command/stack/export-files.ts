import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get as getPlain, IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import { CommandError } from '../command-error.ts';
import { waitFor } from '../wait-for.ts';
import { safeUrl } from './safe-url.ts';
import { type OpenExport, readAs } from './shown-export.ts';

const FileSchema = v.object({
  kind: v.picklist(['manifest', 'part', 'schema']),
  key: v.string(),
  bytes: v.number(),
  // Of a part.
  records: v.nullable(v.number()),
  sha256: v.string(),
  url: v.string(),
});
const PageSchema = v.object({
  list: v.string(),
  files: v.array(FileSchema),
  next: v.nullable(v.string()),
});

/** A file of a completed export, with a URL that reads it for some minutes. */
export interface RemoteFile extends v.InferOutput<typeof FileSchema> {
  /** That the export is of. */
  readonly list: string;
}

/** So few that each is downloaded long before its URL ends (15 min). */
const FILES_A_PAGE = 10;
/** Of the route. */
const MAX_FILES_A_PAGE = 500;
/** Before a file is asked for again: for a connection that breaks, and for S3 that says to slow down. */
const PAUSES_MS = [1_000, 5_000] as const;

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
    const { list, files, next } = readAs(PageSchema, page);
    yield* files.map((file) => ({ ...file, list }));
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
    if (file.kind !== 'part') texts[file.kind] = (await received(file, signal, buffer)).toString();
  }
  return texts;
}

/**
 * Gives the bytes as they are stored to whoever takes them, again when they do not come as they should. They are checked at
 * their end: what is taken counts only when this returns.
 *
 * @throws CommandError when they are others than the manifest says, or do not come; what `take` throws of its own.
 */
export async function received<Taken>(
  file: RemoteFile,
  signal: AbortSignal,
  take: (bytes: AsyncIterable<Uint8Array>) => Promise<Taken>,
  wait = waitFor,
): Promise<Taken> {
  const failure = { problem: '' };
  for (const pauseMs of [0, ...PAUSES_MS]) {
    if (pauseMs > 0) await wait(pauseMs, signal);
    signal.throwIfAborted();
    failure.problem = '';
    try {
      return await take(checkedBytes(file, signal, failure));
    } catch (error) {
      if (failure.problem === '') throw error;
    }
  }
  signal.throwIfAborted();
  throw new CommandError(
    `${file.key} could not be downloaded: ${failure.problem}. Run the command again: what is there stays.`,
  );
}

/** @param failure Gets what is wrong with the transfer, before it is thrown. */
async function* checkedBytes(
  { url, bytes, sha256 }: RemoteFile,
  signal: AbortSignal,
  failure: { problem: string },
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256');
  let received = 0;
  try {
    const answer = await storedObject(url, signal);
    if (answer.statusCode !== OK) {
      answer.destroy();
      throw new Error(`status ${answer.statusCode}`);
    }
    for await (const chunk of answer) {
      received += chunk.length;
      if (received > bytes) throw new Error(OTHER_BYTES);
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256) throw new Error(OTHER_BYTES);
  } catch (error) {
    failure.problem = error instanceof Error ? error.message : 'no answer';
    throw error;
  }
}

/** An answer of a server that falls silent comes no more. */
const SILENCE_MS = 60_000;

/** What a URL reads, as it is stored: `fetch` would unpack what has `Content-Encoding: gzip`. */
export async function storedObject(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const from = safeUrl(url);
  const ask = from.protocol === 'https:' ? get : getPlain;
  const request = ask(from, { signal, timeout: SILENCE_MS });
  request.once('timeout', () => request.destroy(new Error('no answer')));
  const [answer] = await once(request, 'response');
  if (!(answer instanceof IncomingMessage)) throw new Error('no answer');
  return answer;
}
