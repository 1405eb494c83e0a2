import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Aws, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';

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

    left.held.push(new WeakRef(held), new WeakRef(stackWithTokens()));
    process.env[held.variable] = 'changed';
    process.chdir(mkdtempSync(join(tmpdir(), 'left-')));
    process.exit = () => process.abort();
    globalThis.fetch = async () => new Response();
    expect(surroundings()).not.toEqual(left.found);
  });
}

/** With tokens of its own, and those that the CDK makes once, while its modules are loaded. */
function stackWithTokens(): Stack {
  const stack = new Stack();
  const table = new TableV2(stack, 'Table', {
    partitionKey: { name: 'id', type: AttributeType.STRING },
  });
  expect(stack.resolve([table.tableArn, Aws.REGION])).toEqual([
    { 'Fn::GetAtt': [expect.any(String), 'Arn'] },
    { Ref: 'AWS::Region' },
  ]);
  return stack;
}

function surroundings(): object {
  const states = Object.getOwnPropertySymbols(globalThis).filter(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  return {
    ...{ folder: process.cwd(), exit: `${process.exit}`, variable: process.env[held.variable] },
    ...{ fetch: globalThis.fetch, states: states.length, temporary: readdirSync(tmpdir()) },
  };
}
