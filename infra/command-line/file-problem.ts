import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { SettingError } from '../../lib/errors.ts';
import { isShort } from './option-table.ts';

/** The code of an error of the operating system, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : 'unknown error';
}

/** What the system says (errno(3)). */
const WORDS = {
  read: {
    ENOENT: 'there is no such file',
    ENOTDIR: 'a part of its path is a file',
    EISDIR: 'it is a folder',
    EACCES: 'you may not read it',
  },
  write: {
    ENOENT: 'there is no such folder',
    ENOTDIR: 'a part of its path is a file',
    EEXIST: 'a file has this name, and a folder is needed',
    EISDIR: 'it is a folder, and a file is needed',
  },
} satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export function fileProblem(
  option: string,
  action: keyof typeof WORDS,
  path: string,
  error: unknown,
): SettingError {
  const code = codeOf(error);
  const words = new Map(Object.entries(WORDS[action])).get(code);
  const why = words === undefined ? '' : `: ${words}`;
  return new SettingError(option, `cannot ${action} ${shownPath(path)}${why} (${code})`);
}

/** No key ends like a file that a command reads or writes. */
const FILE_NAME = /\.(json|ndjson|gz|zst|csv|html|ts|pem|log)$/;

/** A path that was given, for a message: the key in its place is no path of anything. */
export function shownPath(path: string): string {
  const name = basename(path);
  const isFile = FILE_NAME.test(name);
  const isName = isShort(name) || isFile;
  if (existsSync(path) || (isName && existsSync(dirname(path)))) return path;
  // A key may have slashes, and no folder shows here that it has none.
  if (isFile) return `…/${name}`;
  return `the path of ${path.length} characters that was given`;
}
