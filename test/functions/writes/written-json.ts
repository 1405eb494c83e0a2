import fc from 'fast-check';
import { anyCharacter } from '../../any-character.ts';

/** A JSON value as somebody writes it, with all that a parser would take away. */
export interface WrittenJson {
  /** With white space between its tokens. */
  readonly sent: string;
  /** What has to arrive. */
  readonly text: string;
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'literal';
  /** Whether all of its numbers are those that doubles keep. */
  readonly isKept: boolean;
}

export interface WrittenMember {
  /** JSON text of the name. */
  readonly name: string;
  readonly value: WrittenJson;
}

const space = fc.constantFrom('', '', '', '', ' ', '\n', '\t \r\n');

function scalar(kind: WrittenJson['kind'], isKept = true) {
  return (text: string): WrittenJson => ({ sent: text, text, kind, isKept });
}

/** Numbers that print otherwise than they are written, but have the same value as doubles. */
const keptNumber = fc
  .oneof(
    fc.integer().map(String),
    fc.stringMatching(/^-?(?:0|[1-9]\d{0,6})\.\d{1,7}$/),
    fc.stringMatching(/^-?[1-9]\d{0,5}[eE][+-]?\d{1,2}$/),
    fc.constantFrom('0', '-0', '-0.0', '0e5', '1.0', '1E+2', '9007199254740991', '12.50', '1e-290'),
  )
  .map(scalar('number'));

/** Numbers of which doubles lose digits, or everything. */
const lostNumber = fc
  .oneof(
    fc.stringMatching(/^-?[1-9]\d{15,40}[1-9]$/),
    fc.stringMatching(/^-?0\.0{0,20}[1-9]\d{14,30}[1-9]$/),
    fc.constantFrom('9007199254740993', '9007199254740992', '1e400', '-1e-400', '5E999999999999'),
  )
  .map(scalar('number', false));

export const number = fc.oneof(keptNumber, lostNumber);

const ESCAPES = [
  ...['\\u0041', '\\/', '\\"', '\\\\', '\\n', '\\u00e9', '\\u00E9', '\\u0000', '\\u2028'],
  ...['\\ud83d\\ude00', '\\ud800', '\\udc00\\ud800', '\\ufffd', '\\ufeff'],
];

/** U+FFFD itself stands for lost characters, so it is tried apart. */
const raw = fc
  .string({ unit: anyCharacter, maxLength: 4 })
  .map((text) => JSON.stringify(text.replaceAll('\ufffd', 'x')).slice(1, -1));

export const string = fc
  .array(fc.oneof(raw, fc.constantFrom(...ESCAPES)), { maxLength: 4 })
  .map((pieces) => scalar('string')(`"${pieces.join('')}"`));

const literal = fc.constantFrom('true', 'false', 'null').map(scalar('literal'));

const name = fc.oneof(
  fc
    .constantFrom('a', 'b', '1', '2', '01', '', '__proto__', 'constructor', '\\u0061', 'toString')
    .map((text) => `"${text}"`),
  string.map(({ text }) => text),
);

/** An object of members as they are, those of the same name too. */
export function objectOf(members: readonly WrittenMember[], gap: string): WrittenJson {
  const sent = members.map(({ name: text, value }) => `${gap}${text}${gap}:${value.sent}${gap}`);
  const text = members.map(({ name: own, value }) => `${own}:${value.text}`);
  const isKept = members.every(({ value }) => value.isKept);
  return { sent: `{${sent.join(',')}}`, text: `{${text.join(',')}}`, kind: 'object', isKept };
}

function arrayOf(elements: readonly WrittenJson[], gap: string): WrittenJson {
  return {
    sent: `[${elements.map(({ sent }) => `${gap}${sent}${gap}`).join(',')}]`,
    text: `[${elements.map(({ text }) => text).join(',')}]`,
    kind: 'array',
    isKept: elements.every(({ isKept }) => isKept),
  };
}

/** Any JSON text. */
export const anyJson = fc.letrec<{ value: WrittenJson; object: WrittenJson; array: WrittenJson }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'written-json' },
      number,
      string,
      literal,
      tie('object'),
      tie('array'),
    ),
    object: fc
      .tuple(fc.array(fc.record({ name, value: tie('value') }), { maxLength: 5 }), space)
      .map(([members, gap]) => objectOf(members, gap)),
    array: fc
      .tuple(fc.array(tie('value'), { maxLength: 5 }), space)
      .map(([elements, gap]) => arrayOf(elements, gap)),
  }),
).value;

/** Only arrays inside each other. */
export function nestedJson(levels: number): WrittenJson {
  return scalar('array')(`${'['.repeat(levels)}${']'.repeat(levels)}`);
}

/** A string with these characters as they are. */
export function rawString(characters: string): WrittenJson {
  return scalar('string')(`"${characters}"`);
}
