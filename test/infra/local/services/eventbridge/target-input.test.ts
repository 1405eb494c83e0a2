import { expect, test } from '@jest/globals';
import {
  type InputShape,
  targetInput,
} from '../../../../../infra/local/services/eventbridge/target-input.ts';

const event = {
  id: 'e1',
  resources: ['r0'],
  detail: { name: 'say "hi"', count: 3, 'a-b': { c: true } },
};
const rule = { ruleArn: 'arn:rule', ruleName: 'rule', ingestionTime: '2026-01-01T00:00:00Z' };
const transformer = (template: string, paths: Record<string, string> = {}): InputShape => ({
  transformer: { template, paths },
});

test.each<[string, InputShape, string]>([
  ['the whole event', {}, JSON.stringify(event)],
  ['a constant', { input: 'as is' }, 'as is'],
  ['a path', { inputPath: '$.detail.count' }, '3'],
  ['a quoted path', { inputPath: "$.detail['a-b'].c" }, 'true'],
  ['an item', { inputPath: '$.resources[0]' }, '"r0"'],
  [
    'a value in JSON',
    transformer('{"n":<name>}', { name: '$.detail.name' }),
    '{"n":"say \\"hi\\""}',
  ],
  [
    'a value in a string',
    transformer('"<n> of <who>"', { n: '$.detail.count', who: '$.id' }),
    '"3 of e1"',
  ],
  [
    'a quote in a string',
    transformer('{"n":"<name>!"}', { name: '$.detail.name' }),
    '{"n":"say \\"hi\\"!"}',
  ],
  [
    'nothing for a missing value',
    transformer('{"a":<gone>,"b":"<gone>"}', { gone: '$.gone' }),
    '{"a":null,"b":""}',
  ],
  ['rule variables', transformer('"<aws.events.rule-name>"'), '"rule"'],
  ['the event', transformer('{"e":<aws.events.event.json>}'), `{"e":${JSON.stringify(event)}}`],
])('gives the target %s', (_, shape, expected) => {
  expect(targetInput(shape, event, rule)).toBe(expected);
});

test('refuses a path it cannot read', () => {
  expect(() => targetInput({ inputPath: '$..name' }, event, rule)).toThrow(/\$\.\.name/);
});
