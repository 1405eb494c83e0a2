import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseSecret } from '../../../functions/aws/parse-secret.ts';
import { redactorOf } from '../../../lib/key/redaction.ts';
import { anyCharacter } from '../../any-character.ts';

const KEY = 'canary-Key+4711/Qx==';

/** The key, told by what a redactor made of it replaces. */
function holdsKey(secret: ReturnType<typeof parseSecret>): boolean {
  return secret.kind === 'key' && redactorOf([secret.key])(`<${KEY}>`) === '<[redacted]>';
}

test.each([
  ['plain text', KEY, {}],
  ['JSON with apiKey', JSON.stringify({ apiKey: KEY }), {}],
  ['JSON with white space around', `\n ${JSON.stringify({ apiKey: KEY }, null, 2)}\n`, {}],
  [
    'JSON with address and header',
    JSON.stringify({ apiKey: KEY, baseUrl: 'https://x.example', header: 'X-Key' }),
    { baseUrl: 'https://x.example', header: 'X-Key' },
  ],
])('takes %s', (_, text, settings) => {
  const secret = parseSecret(text);

  expect(holdsKey(secret)).toBe(true);
  expect(secret).toMatchObject(settings);
  expect(inspect(secret, { depth: 9, showHidden: true }) + JSON.stringify(secret)).not.toContain(
    KEY,
  );
});

test('takes a key with quotes of its own as apiKey', () => {
  expect(parseSecret(JSON.stringify({ apiKey: `"${KEY}"` }))).toMatchObject({ kind: 'key' });
});

test('takes a short key that is a part of a label or an address by chance', () => {
  const text = '{"apiKey":"test","organization":"test team","baseUrl":"https://test.example"}';

  expect(parseSecret(text)).toMatchObject({ kind: 'key', organization: 'test team' });
});

test.each([
  ['bytes', undefined, 'It holds bytes, not text.'],
  ['nothing', '', 'The API key is empty.'],
  ['a key with a line break at its end', `${KEY}\n`, 'The API key ends with a line break.'],
  ['a key with a line break inside', `${KEY}\r\n${KEY}`, 'has a line break inside'],
  ['a key with white space before', ` ${KEY}`, 'begins or ends with white space'],
  ['a JSON string', `"${KEY}"`, 'a quote but is not a JSON object. Expected the key as plain text'],
  ['a JSON string with white space around', ` "${KEY}"\n`, 'or a quote but is not a JSON object.'],
  ['half of a JSON text', `{"apiKey":"${KEY}`, 'begins with a brace or a quote but is not'],
  ['JSON without apiKey', `{"header":"${KEY}"}`, 'Its member apiKey is missing or not text.'],
  [
    'JSON with another kind of apiKey',
    `{"apiKey":["${KEY}"]}`,
    'Its member apiKey is missing or not',
  ],
  ['the key as the name of a member', `{"${KEY}":""}`, 'apiKey is missing'],
  ['the key as another member', `{"apiKey":"a","${KEY}":""}`, 'has a member besides apiKey'],
  ['a name that every object has', '{"apiKey":"a","toString":""}', 'has a member besides apiKey'],
  ['the name __proto__', '{"apiKey":"a","__proto__":""}', 'has a member besides apiKey'],
  [
    'JSON with a short key as label of the organization',
    '{"apiKey":"s3cr3t!","organization":"S3CR3T!"}',
    'Its member organization holds the key',
  ],
  [
    'JSON with a short key as header',
    '{"apiKey":"X-Abc","header":"X-Abc"}',
    'Its member header holds the key',
  ],
  [
    'JSON with two keys',
    `{"apiKey":"${KEY}","apiKey":"${KEY}2"}`,
    'Its member apiKey is there more than once',
  ],
  [
    'JSON with the same key twice, once with an escape in the name',
    `{"apiKey":"${KEY}","api\\u004bey":"${KEY}"}`,
    'Its member apiKey is there more than once',
  ],
  [
    'JSON with two addresses',
    `{"baseUrl":"https://x.example","apiKey":"${KEY}","baseUrl":"https://y.example"}`,
    'Its member baseUrl is there more than once',
  ],
  [
    'JSON with the key as the name of two members',
    `{"apiKey":"a","${KEY}":"","${KEY}":""}`,
    'A member of it is there more than once',
  ],
  ['JSON with an empty apiKey', '{"apiKey":""}', 'The API key is empty.'],
  [
    'JSON with a line break in apiKey',
    JSON.stringify({ apiKey: `${KEY}\n` }),
    'ends with a line break',
  ],
  [
    'JSON with the key as label of the organization',
    JSON.stringify({ apiKey: KEY, organization: `of ${KEY}` }),
    'Its member organization holds the key',
  ],
  [
    'JSON with the key in its address',
    JSON.stringify({ apiKey: KEY, baseUrl: `https://x.example/${encodeURIComponent(KEY)}` }),
    'Its member baseUrl holds the key',
  ],
  ['JSON with another kind of baseUrl', `{"apiKey":"${KEY}","baseUrl":1}`, 'Its member baseUrl'],
])('fails for %s without showing any of it', (_, text, problem) => {
  const secret = parseSecret(text);

  expect(secret).toMatchObject({ kind: 'malformed', problem: expect.stringContaining(problem) });
  expect(inspect(secret, { depth: 9, showHidden: true })).not.toMatch(/canary|4711/);
});

test.each([
  ['a line break behind it', `${KEY}\n`],
  ['quotes around it', `"${KEY}"`],
  ['a label that holds it', JSON.stringify({ apiKey: KEY, organization: `of ${KEY}` })],
  ['another member', JSON.stringify({ apiKey: KEY, note: 'x' })],
  ['another key beside it', `{"apiKey":"${KEY}","apiKey":"other-key"}`],
  ['an end that was cut', `{"apiKey":"${KEY}`],
])('tells the key of a secret that cannot be used for %s', (_, text) => {
  const secret = parseSecret(text);

  expect(secret.kind === 'malformed' && redactorOf(secret.keys)(KEY)).toBe('[redacted]');
});

test('takes nothing for a key in a secret that names none', () => {
  expect(parseSecret('{"api_key":"x","baseUrl":"https://x.example"}')).toMatchObject({ keys: [] });
  expect(parseSecret('{"apiKey":"\\')).toMatchObject({ keys: [] });
});

test('never throws and never shows eight characters of what it refuses', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, unit: anyCharacter }), fc.boolean(), (text, asJson) => {
      const secret = parseSecret(asJson ? `{"apiKey":1,${JSON.stringify(text)}:2` : text);
      if (secret.kind === 'key') return;
      const shown = Array.from({ length: text.length - 7 }, (_, at) => text.slice(at, at + 8));
      expect(shown.filter((eight) => secret.problem.includes(eight))).toEqual([]);
    }),
  );
});
