/** Characters that take two columns: East Asian wide ones (Unicode Standard Annex 11), and emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
/** Characters that take none: controls, and marks that belong to the one before. */
const NARROWEST = /^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]+$/u;

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal a text takes, which has no line break and no escape sequence. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const { segment } of CHARACTERS.segment(text)) columns += columnsOf(segment);
  return columns;
}

/**
 * The most detailed line that fits into a terminal. One column stays free: a character in the last one would move the
 * cursor to the next line, and this one could not be cleared again.
 *
 * @param lines The same in fewer and fewer words. When none fits, the last is cut.
 * @param columns Of the terminal, 1 or more.
 */
export function fitLine(lines: readonly string[], columns: number): string {
  const room = columns - 1;
  const fitting = lines.find((line) => widthOf(line) <= room);
  return fitting ?? cut(lines.at(-1) ?? '', room);
}

/**
 * As many of the words as fit, from the first one on, with commas between them. The first one is there in any case, cut
 * if need be.
 *
 * @param columns Of the terminal, 1 or more.
 */
export function fitWords(words: readonly string[], columns: number): string {
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line}, ${word}`;
    if (widthOf(longer) < columns) line = longer;
  }
  return line === '' ? fitLine(words.slice(0, 1), columns) : line;
}

function cut(line: string, room: number): string {
  let kept = '';
  let columns = 0;
  for (const { segment } of CHARACTERS.segment(line)) {
    columns += columnsOf(segment);
    if (columns > room - 1) break;
    kept += segment;
  }
  return room < 1 ? '' : `${kept}…`;
}

function columnsOf(character: string): number {
  if (NARROWEST.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
