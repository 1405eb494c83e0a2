import { printable, printableJson } from '../command-line/printable.ts';
import type { Surroundings } from './surroundings.ts';

/** Of a terminal that does not say how wide it is, and of a file. */
const DEFAULT_WIDTH = 80;

/** Where a command puts what it has found. What is no result goes to stderr. */
export interface Output {
  /** Whether results are printed for programs. */
  readonly isJson: boolean;
  /**
   * Prints a result: one JSON document in a line, or text for a person.
   *
   * @param text For a line of so many characters; with or without a line break at its end.
   */
  readonly result: (value: unknown, text: (width: number) => string) => void;
  /** Prints several results: NDJSON, or one text for a person. */
  readonly rows: (values: readonly unknown[], text: (width: number) => string) => void;
  /** Says something about the work on stderr. */
  readonly note: (line: string) => void;
}

export function outputTo(
  { stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>,
  isJson: boolean,
): Output {
  const width = stdout.columns || DEFAULT_WIDTH;
  const print: Output['result'] = (value, text) => {
    const printed = isJson ? printableJson(JSON.stringify(value)) : printable(text(width));
    stdout.write(printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`);
  };
  return {
    isJson,
    result: print,
    rows: (values, text) => {
      for (const value of isJson ? values : [values]) print(value, text);
    },
    note: (line) => stderr.write(`${printable(line)}\n`),
  };
}
