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
  /** Prints a line that stays, above the other one. */
  readonly note: (text: string) => void;
  /** Clears the line of a terminal. */
  readonly end: () => void;
}

export function liveLine(out: TerminalLike): LiveLine {
  const isTerminal = out.isTTY === true;
  let shown = '';
  return {
    show: (words) => {
      const text = isTerminal ? fittedLine(words, out.columns || NARROW) : words.join(', ');
      if (text === shown) return;
      shown = text;
      out.write(isTerminal ? CLEAR_LINE + text : `${text}\n`);
    },
    note: (text) => {
      out.write(isTerminal ? `${CLEAR_LINE}${text}\n${shown}` : `${text}\n`);
    },
    end: () => {
      if (isTerminal && shown !== '') out.write(CLEAR_LINE);
      shown = '';
    },
  };
}

/**
 * As many of the words as fit, the first ones before the others; the very first is cut if need be. The last column stays free: some
 * terminals begin a new line when it is written.
 */
export function fittedLine(words: readonly string[], columns: number): string {
  const width = columns - 1;
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line}, ${word}`;
    if (longer.length <= width) line = longer;
  }
  const [first = ''] = words;
  return line === '' && first !== '' ? `${first.slice(0, width - 1)}…` : line;
}
