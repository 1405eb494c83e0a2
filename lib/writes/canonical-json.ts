import {
  type ExactJson,
  elementsIn,
  exactText,
  membersIn,
  readExactJson,
  stringIn,
} from '../json/exact-json.ts';

/**
 * The JSON text in one form of its own: members sorted by name, strings with the escapes that they need.
 * Numbers keep their digits, and members of one name their order.
 *
 * @param text Of a depth that a stack has room for.
 * @throws TypeError for what is not JSON.
 */
export function canonicalJson(text: string): string {
  const read = readExactJson(text);
  if (read.kind === 'unreadable')
    throw new TypeError(`expected JSON, but the text ${read.problem}`);
  return canonical(read.json);
}

function canonical(json: ExactJson): string {
  switch (json.kind) {
    case 'object':
      return `{${[...membersIn(json)].sort(byName).map(canonicalMember).join(',')}}`;
    case 'array':
      return `[${elementsIn(json).map(canonical).join(',')}]`;
    case 'string':
      return JSON.stringify(stringIn(json));
    default:
      return exactText(json);
  }
}

type Member = readonly [name: string, value: ExactJson];

function canonicalMember([name, value]: Member): string {
  return `${JSON.stringify(name)}:${canonical(value)}`;
}

function byName([one]: Member, [other]: Member): number {
  return one < other ? -1 : Number(one > other);
}
