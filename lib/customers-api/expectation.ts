import type { SchemaIssue } from './standard-schema.ts';

/** For what a check refused that somebody wrote: what it says may quote the record. */
const OF_A_CHECK = 'a value that passes the checks of the schema';
const A_MEMBER = 'a member of this name';
const OF_ITS_MEMBERS = 'no other members than those of the schema';

/** A long list of literals is shown in part. */
const MAX_LENGTH = 300;

/**
 * What the schema expected where the issue is, such as `number`, `"active" | "paused"` or `at least 12`. Messages are
 * not used, since they quote what was received. Nor is any word that is neither one of the schema nor one of
 * {@link LINKS}: an issue may come from a check that somebody wrote, and may say anything.
 *
 * @param words Those of the schema, see `wordsOf`.
 */
export function expectationOf(issue: SchemaIssue, words: ReadonlySet<string>): string {
  if (Reflect.get(issue, 'code') === 'unrecognized_keys') return OF_ITS_MEMBERS;
  const told = [...new Set(expectationsIn(issue))];
  if (told.length === 0 || !told.every((text) => isSaidBy(words, text))) return OF_A_CHECK;
  const text = told.join(' | ');
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** The libraries agree on a message and a path alone; what they say besides is found by the names of members. */
function expectationsIn(issue: object): readonly string[] {
  const { expected, format, pattern, values, divisor, errors, type, options } = factsOf(issue);
  // Of a union, what each of its members says.
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.flat().flatMap((each) => expectationHere(each, issue));
  }
  // Of a member that is missing valibot says the name alone.
  if (/object/.test(String(type)) && /^"/.test(String(expected))) return [A_MEMBER];
  // valibot and arktype, and zod of types.
  if (typeof expected === 'string') return [expected];
  // valibot, of formats such as `email`.
  if (typeof type === 'string') return /check|custom|raw/.test(type) ? [] : [type];
  // The others are zod's.
  if (typeof format === 'string') return [format === 'regex' ? String(pattern) : format];
  const literals = values ?? options;
  if (Array.isArray(literals)) return literals.map(literalText);
  if (divisor !== undefined) return [`a multiple of ${divisor}`];
  return boundsIn(issue);
}

/** What is further inside is about another place. zod's paths begin at the union, and arktype's at the record. */
function expectationHere(issue: unknown, union: object): readonly string[] {
  if (typeof issue !== 'object' || issue === null) return [OF_A_CHECK];
  const lengths = [issue, union].map(
    (each) => Array.from(Object(Reflect.get(each, 'path'))).length,
  );
  const [length = 0, unionLength] = lengths;
  return length === 0 || length === unionLength ? expectationsIn(issue) : [OF_A_CHECK];
}

function boundsIn(issue: object): readonly string[] {
  const { minimum, maximum, inclusive } = factsOf(issue);
  if (minimum !== undefined) return [`${inclusive ? 'at least' : 'more than'} ${minimum}`];
  if (maximum !== undefined) return [`${inclusive ? 'at most' : 'less than'} ${maximum}`];
  return [];
}

const FACTS = [
  'expected',
  'format',
  'pattern',
  'values',
  'divisor',
  'errors',
  'type',
  'options',
  'minimum',
  'maximum',
  'inclusive',
] as const;

/** One by one: some of arktype's are getters of the class. */
function factsOf(issue: object): Partial<Readonly<Record<(typeof FACTS)[number], unknown>>> {
  return Object.fromEntries(FACTS.map((name) => [name, Reflect.get(issue, name)]));
}

function literalText(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** What libraries put around the words of a schema. */
const LINKS: ReadonlySet<string> = new Set(
  (
    'a an and array at bigint boolean by date false int integer least length less matched more most multiple must be ' +
    'never no non-negative null number object of or positive negative removed string than true undefined Array Object'
  ).split(' '),
);

/** A text in quotes, or what stands between spaces and signs. */
const TOKEN = /^(?:"(?:[^"\\]|\\.)*"|[^\s|&(),]+)/;
const BETWEEN = /^[\s|&(),]+/;

function isSaidBy(words: ReadonlySet<string>, text: string): boolean {
  if (text === OF_A_CHECK || text === A_MEMBER) return true;
  let rest = text;
  while (rest !== '' && !words.has(rest)) {
    rest = rest.replace(BETWEEN, '');
    const token = TOKEN.exec(rest)?.[0] ?? '';
    if (token === '' || !isWord(words, token)) return rest === '';
    rest = rest.slice(token.length);
  }
  return true;
}

function isWord(words: ReadonlySet<string>, token: string): boolean {
  if (words.has(token) || LINKS.has(token)) return true;
  return token.startsWith('"') && token.endsWith('"') && words.has(token.slice(1, -1));
}
