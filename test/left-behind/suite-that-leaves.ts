import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';

/** What suites in one process leave each other: weak references to what they held, and what the first one found. */
interface Left {
  readonly held: WeakRef<object>[];
  readonly found: object;
}

const LEFT = Symbol.for('test.left-behind');

/** Of a module that each suite loads for itself. */
const held = { variable: 'LEFT_BEHIND' };

/** A suite that changes what it can reach, and wants to find all of it as if it were the first in its process. */
export function testWhatIsLeft(): void {
  test('finds nothing of the suites that ran before it in its process', async () => {
    const left: Left = Reflect.get(globalThis, LEFT) ?? { held: [], found: surroundings() };
    Reflect.set(globalThis, LEFT, left);
    // A weak reference that was just made holds until its turn is over.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();

    expect(left.held.filter((reference) => reference.deref() !== undefined)).toEqual([]);
    expect(surroundings()).toEqual(left.found);

    left.held.push(new WeakRef(held));
    process.env[held.variable] = 'changed';
    process.chdir(tmpdir());
    process.exit = () => process.abort();
    globalThis.fetch = async () => new Response();
    expect(surroundings()).not.toEqual(left.found);
  });
}

function surroundings(): object {
  const states = Object.getOwnPropertySymbols(globalThis).filter(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  return {
    ...{ folder: process.cwd(), exit: `${process.exit}`, variable: process.env[held.variable] },
    ...{ fetch: globalThis.fetch, states: states.length },
  };
}
