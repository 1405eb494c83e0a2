import { fitLine, fitWords } from './fit-line.ts';
import { printable } from './printable.ts';

/** Of a terminal that does not say how wide it is. */
const NARROW = 80;

/** Back to the beginning, then delete to the end of the line (ECMA-48, EL). */
const CLEAR_LINE = '\r\u001b[K';

interface TerminalLike {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** One line about work that goes on: it changes on a terminal; elsewhere each change is a line of its own. */
export interface LiveLine {
  /** @param words From the most to the least important; on a terminal what does not fit is left out. */
  readonly show: (words: readonly string[]) => void;
  /** @param lines The same in fewer and fewer words. A terminal shows the first one that fits; elsewhere it is the first. */
  readonly showOneOf: (lines: readonly string[]) => void;
  /** Prints a line that stays, above the other one. */
  readonly note: (text: string) => void;
  /** Clears the line of a terminal. */
  readonly end: () => void;
}

export function liveLine(out: TerminalLike): LiveLine {
  const isTerminal = out.isTTY === true;
  let shown = '';
  const put = (textFor: (columns: number) => string) => {
    const text = printable(textFor(isTerminal ? out.columns || NARROW : Number.POSITIVE_INFINITY));
    if (text === shown) return;
    shown = text;
    out.write(isTerminal ? CLEAR_LINE + text : `${text}\n`);
  };
  return {
    show: (words) => put((columns) => fitWords(words, columns)),
    showOneOf: (lines) => put((columns) => fitLine(lines, columns)),
    note: (text) => {
      const line = printable(text);
      out.write(isTerminal ? `${CLEAR_LINE}${line}\n${shown}` : `${line}\n`);
    },
    end: () => {
      if (isTerminal && shown !== '') out.write(CLEAR_LINE);
      shown = '';
    },
  };
}
