import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = 'npx customers-functions ';

/** A block of command lines of a page. */
export interface ShellBlock {
  /** Path from the root of the repository. */
  readonly page: string;
  /** Marked by `needs-aws` behind the language: no line of it can be run without an account, or the AWS CLI. */
  readonly needsAws: boolean;
  /** One command each: what a shell would go on reading is in it too. */
  readonly lines: readonly string[];
}

/** The blocks of command lines of a page, in any language that a shell is called by. */
export function shellBlocks(page: string): readonly ShellBlock[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^ *```(?:sh|bash|shell|console)\b([^\n]*)\n(.*?)^ *```/gms)].map(
    ([, info = '', block = '']) => ({
      page,
      needsAws: info.trim() === 'needs-aws',
      lines: commandsIn(block),
    }),
  );
}

/** Without comments, each whole: a backslash at the end, or a quote that is open, goes on in the next line. */
function commandsIn(block: string): readonly string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of block.split('\n')) {
    open += open === '' ? line.trim() : `\n${line}`;
    if (open.endsWith('\\')) {
      open = open.slice(0, -1);
      continue;
    }
    if ((open.match(/'/g) ?? []).length % 2 === 1) continue;
    const command = open.replace(/(^|\s{2,})#.*$/, '').trim();
    if (command !== '') commands.push(command.replaceAll(/\n\s*/g, ' '));
    open = '';
  }
  return commands;
}

/** The lines of a page that call the command, each as the arguments that a shell makes of it. */
export function documentedLines(page: string): readonly (readonly string[])[] {
  return shellBlocks(page)
    .flatMap(({ lines }) => lines)
    .filter((line) => line.startsWith(PROGRAM))
    .map((line) => argumentsOf(line.slice(PROGRAM.length)));
}

/** Words, and texts in single quotes: more is not written. */
export function argumentsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word);
}
