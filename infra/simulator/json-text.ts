/** JSON handled as text, so that every digit and escape of a record stays as it was written. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Valid JSON with insignificant white space: two spaces a level. */
export function prettyJson(json: string): string {
  let depth = 0;
  let previous = '';
  let text = '';
  for (const token of tokensOf(json)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const afterOpening = previous === '{' || previous === '[';
    if (closes ? !afterOpening : afterOpening || previous === ',') {
      text += `\n${'  '.repeat(depth)}`;
    }
    text += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    previous = token;
  }
  return text;
}

/** The members of a valid JSON object: name to the value's own text. */
export function membersOf(json: string): Map<string, string> {
  const members = new Map<string, string>();
  const tokens = tokensOf(json).slice(1, -1);
  let depth = 0;
  let start = 0;
  tokens.forEach((token, index) => {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    const last = index === tokens.length - 1;
    if (depth > 0 || !(last || token === ',')) return;
    const [name = '""', , ...value] = tokens.slice(start, last ? undefined : index);
    members.set(String(JSON.parse(name)), value.join(''));
    start = index + 1;
  });
  return members;
}

/** The object with these members; the inverse of {@link membersOf}. */
export function objectJson(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** The text of a JSON string, another value as it is written; undefined for `null` and for nothing. */
export function textOf(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null') return undefined;
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

function tokensOf(json: string): readonly string[] {
  return json.match(TOKEN) ?? [];
}
