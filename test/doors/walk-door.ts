import { isJsonObject } from '../../lib/json/json-value.ts';

/** One way into the package, as JavaScript calls it: no type keeps anything out. */
export interface Door {
  /** As a reader of the docs knows it, such as `client.listPage`. */
  readonly name: string;
  readonly call: unknown;
  /** What it takes, in the order of the parameters; an object has every member that there is. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The interfaces of objects among them, whose members are looked up in docs/reference. */
  readonly types?: Readonly<Record<string, string>>;
  /** Places that must not be left out, such as `options.baseUrl`. */
  readonly needed?: readonly string[];
  /** What is taken besides, by place: names of {@link HOSTILE}; `missing`, where only `undefined` is refused. */
  readonly takes?: Readonly<Record<string, readonly string[]>>;
  /** What an error of the world behind the door says, where there is no world behind it in this test. */
  readonly beyond?: RegExp;
}

class Instance {
  readonly own = 1;
}

/** What a caller may give by mistake, by the name in {@link Door.takes}. */
export const HOSTILE: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  true: () => true,
  NaN: () => Number.NaN,
  negative: () => -1,
  fraction: () => 1.5,
  huge: () => 1e300,
  zero: () => 0,
  bigint: () => 7n,
  symbol: () => Symbol('hostile'),
  'empty text': () => '',
  blank: () => ' ',
  control: () => 'a\u0000b',
  'long text': () => 'x'.repeat(100_000),
  text: () => 'hostile',
  'empty list': () => [],
  list: () => ['hostile'],
  'empty object': () => ({}),
  function: () => () => undefined,
  Map: () => new Map([['hostile', 1]]),
  Promise: () => Promise.resolve({}),
  instance: () => new Instance(),
  getter: () => Object.defineProperty({}, 'hostile', { get: refuse, enumerable: true }),
};

/** An object without members lacks those that are needed; of a getter nobody knows the place. */
const UNNAMED = ['empty object', 'getter'];

/** Names of members that are added to each object: one that nobody knows, and those of prototypes. */
export const ADDED = ['unknownMember', 'constructor', '__proto__'];

function refuse(): never {
  throw new RangeError('hostile');
}

export interface Walked {
  readonly places: number;
  readonly calls: number;
  /** What is neither refused by a clear error nor in the door's `takes`, and what is there and is refused. */
  readonly findings: readonly string[];
}

/** Tries everything at every place of a door. */
export async function walkDoor(door: Door): Promise<Walked> {
  const { name, given, needed = [], takes = {} } = door;
  const findings: string[] = [];
  let calls = 0;
  const attempt = async (place: string, label: string, args: readonly unknown[]) => {
    calls += 1;
    const said = await outcomeOf(door, args, UNNAMED.includes(label) ? '' : nameIn(place));
    const isTaken = (takes[place] ?? []).includes(label);
    if (said === 'taken' ? !isTaken : isTaken || said !== 'refused') {
      findings.push(`${name}: ${place} = ${label}: ${said}`);
    }
  };
  const all = Object.values(given);
  calls += 1;
  const frozen = await outcomeOf(door, all.map(deepFrozen), '');
  if (frozen !== 'taken') findings.push(`${name}: what is right: ${frozen}`);
  const places = placesIn(given);
  for (const { path, value } of places) {
    const place = path.join('.');
    for (const [label, make] of Object.entries(HOSTILE)) {
      await attempt(place, label, Object.values(replaced(given, path, make)));
    }
    const isNeeded = needed.includes(place);
    for (const [label, make] of Object.entries(ABSENT)) {
      // A parameter in front of others is left out by giving undefined.
      if (label === 'missing' && path.length === 1) continue;
      const args = Object.values(replaced(given, path, make));
      calls += 1;
      const said = await outcomeOf(door, args, nameIn(place));
      const isTaken = !isNeeded || (takes[place] ?? []).includes(label);
      if (said !== (isTaken ? 'taken' : 'refused')) {
        findings.push(`${name}: ${place} = ${label}: ${said}`);
      }
    }
    if (!isJsonObject(value)) continue;
    for (const added of ADDED) {
      const more = Object.defineProperty({ ...value }, added, { value: 1, enumerable: true });
      await attempt(`${place}.${added}`, 'added', Object.values(replaced(given, path, () => more)));
    }
  }
  const known = new Set([...places.map(({ path }) => path.join('.')), ...Object.keys(takes)]);
  for (const place of [...needed])
    if (!known.has(place)) findings.push(`${name}: no place ${place}`);
  return { places: places.length, calls, findings };
}

const LEFT_OUT = Symbol('left out');
const ABSENT: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  missing: () => LEFT_OUT,
};

interface Place {
  readonly path: readonly string[];
  readonly value: unknown;
}

function placesIn(holder: Readonly<Record<string, unknown>>): readonly Place[] {
  return Object.entries(holder).flatMap(([name, value]) => [
    { path: [name], value },
    ...(isJsonObject(value) ? placesIn(value) : []).map((place) => ({
      ...place,
      path: [name, ...place.path],
    })),
  ]);
}

function replaced(
  holder: Readonly<Record<string, unknown>>,
  [name = '', ...rest]: readonly string[],
  make: () => unknown,
): Record<string, unknown> {
  const inner = holder[name];
  const value = rest.length > 0 && isJsonObject(inner) ? replaced(inner, rest, make) : make();
  const others = { ...holder, [name]: value };
  if (value === LEFT_OUT) delete others[name];
  return others;
}

function nameIn(place: string): string {
  return place.slice(place.lastIndexOf('.') + 1);
}

function deepFrozen(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, deepFrozen(member)]);
  return Object.freeze(Object.fromEntries(members));
}

const CODES = ['INVALID_SETTING', 'INVALID_KEY', 'UNKNOWN_CONNECTION'];
const HANGS_AFTER_MS = 10_000;

/** `taken`, `refused` by an error of the house that has the name in it, or what happened instead. */
async function outcomeOf(
  { call, beyond }: Door,
  args: readonly unknown[],
  name: string,
): Promise<string> {
  const ended = new AbortController();
  const hang = new Promise<string>((resolve) => {
    const timer = setTimeout(() => resolve('hangs'), HANGS_AFTER_MS);
    ended.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  const work = (async () => {
    const made: unknown = await Reflect.apply(Object(call), undefined, [...args]);
    return Reflect.get(Object(made), 'next') instanceof Function ? Object(made).next() : made;
  })();
  try {
    return await Promise.race([work.then(() => 'taken'), hang]);
  } catch (error) {
    const { code, message } = Object(error);
    if (beyond?.test(`${code} ${message}`)) return 'taken';
    if (!CODES.includes(code)) return `${code ?? Object(error).name}: ${message}`;
    return String(message).toLowerCase().includes(name.toLowerCase())
      ? 'refused'
      : `does not name it: ${message}`;
  } finally {
    ended.abort();
  }
}
