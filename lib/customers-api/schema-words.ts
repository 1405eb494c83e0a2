import type { StandardSchemaV1 } from './standard-schema.ts';

/** Real schemas have some hundred. */
const MAX_OBJECTS = 20_000;

const known = new WeakMap<StandardSchemaV1, ReadonlySet<string>>();

/**
 * The texts and numbers that a schema is made of: names of members, literals, bounds, patterns, names of types. What
 * stands here can be shown, if this was called before the schema saw a record. What a schema makes only when it is
 * called, such as the inner part of a `lazy` one, is missing.
 */
export function wordsOf(schema: StandardSchemaV1): ReadonlySet<string> {
  let words = known.get(schema);
  if (words === undefined) {
    // Around an arktype schema is the whole library; what it is made of is in this member.
    const isArktype = schema['~standard'].vendor === 'arktype';
    words = wordsIn(isArktype ? Reflect.get(schema, 'json') : schema);
    known.set(schema, words);
  }
  return words;
}

function wordsIn(root: unknown): ReadonlySet<string> {
  const words = new Set<string>();
  const seen = new Set<object>();
  const rest: unknown[] = [root];
  while (rest.length > 0 && seen.size < MAX_OBJECTS) {
    const each = rest.pop();
    if (typeof each === 'string' || typeof each === 'number' || typeof each === 'bigint') {
      words.add(String(each));
    } else if (typeof each === 'object' && each !== null && !seen.has(each)) {
      seen.add(each);
      if (each instanceof RegExp) words.add(String(each));
      for (const name of Object.getOwnPropertyNames(each)) {
        // Places in a list are no words of the schema.
        if (!Array.isArray(each)) words.add(name);
        rest.push(memberOf(each, name));
      }
    }
  }
  return words;
}

/**
 * zod keeps the members of an object behind getters, as does who writes a recursive schema: enumerable ones of plain
 * objects. Others may do anything: zod's classes have some that must not be called on a prototype.
 */
function memberOf(holder: object, name: string): unknown {
  const { get, value, enumerable } = Object.getOwnPropertyDescriptor(holder, name) ?? {};
  const isPlain = Object.getPrototypeOf(holder) === Object.prototype;
  if (get === undefined || !enumerable || !isPlain) return value;
  try {
    return Reflect.get(holder, name);
  } catch {
    return undefined;
  }
}
