import * as v from 'valibot';
import { InvalidKeyError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { ApiKey } from '../../lib/key/api-key.ts';
import { placeOfKey } from '../../lib/key/place-of-key.ts';

export interface SecretKey {
  readonly kind: 'key';
  readonly key: ApiKey;
  /** Used in place of the connection's configured ones. */
  readonly baseUrl?: string;
  readonly header?: string;
  readonly requestsPerSecond?: number;
  /** A label of the operator's choice: equal labels are the same organization. */
  readonly organization?: string;
}

export type ParsedSecret = SecretKey | MalformedSecret;

interface MalformedSecret {
  readonly kind: 'malformed';
  /** Shows no character of the secret. */
  readonly problem: string;
  /** What is a key all the same, or nearly one. */
  readonly keys: readonly ApiKey[];
}

export const ORGANIZATION_LABEL = /^[\x20-\x7e]{1,100}$/;

const SecretSchema = v.strictObject({
  apiKey: v.string(),
  baseUrl: v.exactOptional(v.string()),
  header: v.exactOptional(v.string()),
  requestsPerSecond: v.exactOptional(v.number()),
  organization: v.exactOptional(v.pipe(v.string(), v.regex(ORGANIZATION_LABEL))),
});

const EXPECTED_KINDS: Readonly<Record<string, string>> = {
  requestsPerSecond: 'a number',
  organization: 'text of 1 to 100 ASCII characters',
};

const EXPECTED =
  'Expected the key as plain text and nothing else, or JSON such as {"apiKey":"…"} with optional baseUrl, header, requestsPerSecond and organization.';

/**
 * Reads the text of a secret: JSON when it begins with a brace or a quote, which some tools put around a text, otherwise the
 * key itself. A key with quotes of its own can be an `apiKey`.
 *
 * @param text `undefined` for a secret that holds bytes.
 */
export function parseSecret(text: string | undefined): ParsedSecret {
  const parsed = text === undefined ? malformed(BYTES) : parseText(text);
  return parsed.kind === 'key' ? parsed : { ...parsed, keys: keysIn(text ?? '') };
}

const BYTES = `It holds bytes, not text. ${EXPECTED}`;

type Parsed = SecretKey | Omit<MalformedSecret, 'keys'>;

function parseText(text: string): Parsed {
  if (!isJson(text)) return keyOf(text, {});
  const json = parseJson(text);
  const twice = json === undefined ? undefined : memberTwice(text);
  if (twice !== undefined) return malformed(thereTwice(twice));
  const parsed = v.safeParse(SecretSchema, json);
  if (!parsed.success) return malformed(problemOf(parsed.issues[0]));
  const { apiKey, ...settings } = parsed.output;
  return keyOf(apiKey, settings);
}

function keyOf(text: string, settings: Omit<v.InferOutput<typeof SecretSchema>, 'apiKey'>): Parsed {
  try {
    const key = ApiKey.from(text);
    const shown = placeOfKey(key, settings);
    if (shown === undefined) return { kind: 'key', key, ...settings };
    return malformed(
      `Its member ${shown} holds the key, which the ledger or a URL would show. Store it again with the key in apiKey alone, and consider the key exposed.`,
    );
  } catch (error) {
    if (error instanceof InvalidKeyError) return malformed(error.message);
    throw error;
  }
}

/**
 * A name that is there more than once: JSON.parse takes the last one without a word, perhaps the key that was to be
 * replaced.
 *
 * @param text JSON. Names are the texts with a colon behind; those in other objects are refused anyway.
 */
function memberTwice(text: string): string | undefined {
  const names = [...text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)]
    .filter(([, , colon]) => colon !== undefined)
    .map(([, name]) => String(parseJson(name)));
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** Names only the members that we know: somebody may have stored the key as the name of a member. */
function problemOf(issue: v.BaseIssue<unknown>): string {
  const member = v.getDotPath(issue);
  if (member === null)
    return `It begins with a brace or a quote but is not a JSON object. ${EXPECTED}`;
  if (Object.hasOwn(SecretSchema.entries, member)) {
    return `Its member ${member} is missing or not ${EXPECTED_KINDS[member] ?? 'text'}. ${EXPECTED}`;
  }
  return `It has a member besides apiKey, baseUrl, header, requestsPerSecond and organization. ${EXPECTED}`;
}

/** A name that we do not know may be the key, as in {@link problemOf}. */
function thereTwice(member: string): string {
  const isKnown = Object.hasOwn(SecretSchema.entries, member);
  const shown = isKnown ? `Its member ${member}` : 'A member of it';
  return `${shown} is there more than once, and no rule says which one counts. ${EXPECTED}`;
}

/** Also of JSON that is cut, of a text in quotes, and each value of a name that is there more than once. */
function keysIn(text: string): readonly ApiKey[] {
  const members = [...text.matchAll(/(?:^|"apiKey"\s*:)\s*("(?:[^"\\]|\\.)*)/g)];
  const texts = isJson(text)
    ? members.map(([, value]) => String(parseJson(`${value}"`) ?? ''))
    : [text];
  return texts.flatMap((each) => {
    const parsed = keyOf(each.trim(), {});
    return parsed.kind === 'key' ? [parsed.key] : [];
  });
}

function isJson(text: string): boolean {
  return /^\s*["{]/.test(text);
}

function malformed(problem: string): Parsed {
  return { kind: 'malformed', problem };
}
