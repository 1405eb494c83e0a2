/**
 * A text that the API chose, as it may be kept and shown: in outcomes, errors, the ledger, events, logs and answers.
 * It is cut to a length, and what does not print is replaced: control and format characters, which can forge a line
 * of a log or turn the direction of writing, and halves of characters.
 *
 * @param maxLength In UTF-16 units, with the mark of what was cut off.
 */
export function shownText(text: string, maxLength: number): string {
  const isLong = text.length > maxLength;
  const kept = isLong ? text.slice(0, maxLength - 1) : text;
  // Not before it is needed: to read it takes a function longer than anything else while it starts.
  notPrinted ??= new RegExp(`[^${PRINTED.join('')} ]`, 'gu');
  return kept.replace(notPrinted, '\ufffd') + (isLong ? '…' : '');
}

/** Letters, marks, numbers, punctuation and signs: all but plain space that is not of Unicode's categories C and Z. */
const PRINTED = ['\\p{L}', '\\p{M}', '\\p{N}', '\\p{P}', '\\p{S}'];
let notPrinted: RegExp | undefined;
