import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { readable } from './recording.ts';

/** What is stored under a name. */
export interface StoredFile {
  readonly name: string;
  readonly body: Buffer;
}

/**
 * The files of one export for a recording, in the order of their names. What a manifest tells of
 * compressed bytes is compared with the parts instead of recorded: another zlib compresses otherwise.
 */
export function recordedFiles(files: readonly StoredFile[]): readonly object[] {
  const parts = files.filter(({ name }) => name.endsWith('.gz')).map(({ body }) => body);
  return files
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, body }) => ({
      name,
      content: parts.includes(body) ? partContent(body) : textContent(name, body, parts),
    }));
}

/** A page shows times and rates, which differ from run to run: it is there, and its own tests say what is in it. */
function textContent(name: string, body: Buffer, parts: readonly Buffer[]): unknown {
  const text = body.toString();
  return name.endsWith('.html') ? text.slice(0, text.indexOf('\n')) : jsonContent(text, parts);
}

function partContent(body: Buffer): object {
  const bytes = gunzipSync(body);
  const records = bytes.toString().split('\n').length - 1;
  return { records, bytes: bytes.length, sha256: sha256Of(bytes) };
}

/** A line of JSON ends with a line break, which would keep it from being shown as JSON. */
function jsonContent(text: string, parts: readonly Buffer[]): unknown {
  const told = withoutCompressedBytes(text, parts);
  return told.endsWith('\n') ? readable(told.slice(0, -1)) : told;
}

/** What is wrong in a manifest stays, and so differs from what is recorded. */
function withoutCompressedBytes(text: string, parts: readonly Buffer[]): string {
  const all = parts.reduce((sum, { length }) => sum + length, 0);
  return parts
    .reduce(
      (told, part) =>
        told
          .replace(`"sha256":"${sha256Of(part)}"`, '"sha256":"<that of the part>"')
          .replace(
            `"storedBytes":${part.length},"sha256"`,
            '"storedBytes":"<of the part>","sha256"',
          ),
      text,
    )
    .replace(`"storedBytes":${all}}`, '"storedBytes":"<of all parts>"}');
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
