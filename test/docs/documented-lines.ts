import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAM = 'npx customers-functions ';

/** The command lines of a page as they are written, each as the arguments that a shell makes of it. */
export function documentedLines(page: string): readonly (readonly string[])[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.split('\n'))
    .filter((line) => line.startsWith(PROGRAM))
    .map((line) => argumentsOf(line.slice(PROGRAM.length)));
}

/** Words, and texts in single quotes: more is not written. */
function argumentsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word);
}
