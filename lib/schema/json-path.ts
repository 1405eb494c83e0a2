/** A step from a place to one inside of it: the name of a member, or all elements of an array. */
export type PathStep = string | typeof ELEMENTS;

export const ELEMENTS = Symbol('all elements of an array');

/** What may follow a dot without quotes (RFC 9535 section 2.5.1.1). */
const SHORT_NAME =
  /^[A-Za-z_\u{80}-\u{d7ff}\u{e000}-\u{10ffff}][\w\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]*$/u;

/** A JSONPath of RFC 9535 from the record on, such as `$.address.city`, `$.tags[*]` or `$['odd.name']`. */
export function jsonPathOf(steps: readonly PathStep[]): string {
  const written = steps.map((step) => {
    if (step === ELEMENTS) return '[*]';
    return SHORT_NAME.test(step) ? `.${step}` : `[${quoted(step)}]`;
  });
  return `$${written.join('')}`;
}

/** Escapes are those of JSON, but for the quotes (section 2.3.1.1). */
function quoted(name: string): string {
  const inside = JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"');
  return `'${inside.replaceAll("'", "\\'")}'`;
}
