import * as v from 'valibot';
import { type ExactMembers, exactText, readMembers } from '../../lib/json/exact-json.ts';
import { parseJson } from '../../lib/json/json-value.ts';

/** A body that is a JSON object with these members and no others, each once. */
export function jsonObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(
    jsonMembers(Object.keys(entries)),
    v.transform((members) =>
      Object.fromEntries([...members].map(([name, json]) => [name, parseJson(exactText(json))])),
    ),
    v.strictObject(entries, ({ expected }) => whatIsMissing(entries, expected)),
  );
}

/** @param named The name of the member, as valibot quotes it. */
function whatIsMissing(entries: v.ObjectEntries, named: string | null): string {
  const schema = Object.entries(entries).find(([name]) => JSON.stringify(name) === named)?.[1];
  const [issue] = (schema && v.safeParse(schema, undefined).issues) ?? [];
  return issue?.message ?? '';
}

/** Why a person does something, kept with what was done. */
export function reasonFor(what: string) {
  const expected = `expected why ${what}, a text of 1 to 1,024 Unicode characters`;
  return v.pipe(v.string(expected), v.trim(), v.minLength(1, expected), keptText(expected));
}

/** As long as is kept, and without halves of characters, which DynamoDB does not take: they have no form in UTF-8. */
export function keptText(expected: string) {
  return v.pipe(
    v.string(expected),
    v.maxLength(1024, expected),
    v.check((text) => text.isWellFormed(), expected),
  );
}

/** A whole number in decimal digits. */
export function wholeNumber(least: number, most: number) {
  const expected = `expected a whole number from ${least} to ${most}`;
  return v.pipe(
    v.string(expected),
    // Digits only: Number would take 1e3, 0x10 and blanks too.
    v.regex(/^(0|[1-9]\d{0,15})$/, expected),
    v.transform(Number),
    v.minValue(least, expected),
    v.maxValue(most, expected),
  );
}

/** The schema of a body that is a JSON object with these members and no others, each once; its values are texts. */
export function jsonMembers(names: readonly string[]) {
  const all = names.join(', ');
  return v.pipe(
    v.string(),
    v.rawTransform<string, ExactMembers>(({ dataset, addIssue, NEVER }) => {
      const body = dataset.value;
      const read = readMembers(body);
      if (read.kind === 'unreadable') {
        const { problem, member } = read;
        const what = body === '' ? 'expected a JSON object, got none' : problem;
        const message = member === undefined ? `${what}. It takes ${all}` : problem;
        addIssue({ message, ...at(body, member) });
        return NEVER;
      }
      const stranger = [...read.members.keys()].find((name) => !names.includes(name));
      if (stranger === undefined) return read.members;
      const message = `there is no such member. There are: ${all}`;
      addIssue({ message, ...at(body, stranger) });
      return NEVER;
    }),
  );
}

/** The place of a member for valibot, which knows the body as a text alone. */
function at(input: string, key: string | undefined): { path?: [v.UnknownPathItem] } {
  if (key === undefined) return {};
  return { path: [{ type: 'unknown', origin: 'value', input, key, value: undefined }] };
}
