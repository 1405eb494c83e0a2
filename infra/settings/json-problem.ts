/** Why a text is not JSON, and where; `undefined` when it is JSON. Nothing of the text is quoted: it may hold a key. */
export function jsonProblem(text: string): string | undefined {
  if (isBeginning(text) === 'whole') return undefined;
  if (text.startsWith('\uFEFF')) {
    return 'it begins with a byte order mark, which is no JSON: save it as UTF-8 without one';
  }
  if (text.trim() === '') return 'it is empty';
  if (isBeginning(text) === 'begun')
    return `it is not JSON: it ends too early, at ${placeOf(text)}`;
  // The longest beginning of a JSON text: each one that is shorter is a beginning too.
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBeginning(text.slice(0, middle)) === undefined) bad = middle;
    else good = middle;
  }
  return `it is not JSON from ${placeOf(text.slice(0, good))} on. Look for a comma or a quote too many or too few before that`;
}

/** V8 tells where a text stops to be JSON, except for an unexpected token. */
function isBeginning(text: string): 'whole' | 'begun' | undefined {
  try {
    JSON.parse(text);
    return 'whole';
  } catch (error) {
    const message = String(error);
    if (/: Unexpected end of JSON input/.test(message)) return 'begun';
    const at = / JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
    return at !== undefined && Number(at) >= text.length ? 'begun' : undefined;
  }
}

function placeOf(before: string): string {
  const lines = before.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
