import { expect, test } from '@jest/globals';
import { resolve, type TemplateScope } from '../../../../infra/local/template/intrinsics.ts';

const scope: TemplateScope = {
  ref: (name) => `ref of ${name}`,
  getAttribute: (id, attribute) => `${attribute} of ${id}`,
};

/** CloudFormation's placeholders, kept apart from JavaScript's. */
const sub = (text: string) => ({ 'Fn::Sub': text.replaceAll('#{', '${') });

test.each<[unknown, unknown]>([
  ['plain', 'plain'],
  [{ Ref: 'Queue' }, 'ref of Queue'],
  [{ 'Fn::GetAtt': ['Queue', 'Arn'] }, 'Arn of Queue'],
  [
    { 'Fn::Join': ['-', ['a', { Ref: 'Queue' }, { 'Fn::Join': ['', ['b', 'c']] }]] },
    'a-ref of Queue-bc',
  ],
  [sub('x-#{AWS::Region}-y'), 'x-ref of AWS::Region-y'],
  [
    { a: [{ Ref: 'Queue' }], b: { c: null } },
    { a: ['ref of Queue'], b: { c: null } },
  ],
])('resolves %j', (value, expected) => {
  expect(resolve(value, scope)).toEqual(expected);
});

test.each([
  [{ 'Fn::ImportValue': 'x' }, /does not know the function Fn::ImportValue; it knows Ref, /],
  [{ 'Fn::If': ['Yes', 'then', 'else'] }, /does not know the function Fn::If/],
  [{ Condition: 'Yes' }, /does not know the function Condition/],
  [{ a: '{{resolve:ssm:/x}}' }, /cannot resolve \{\{resolve:ssm/],
  [{ 'Fn::GetAtt': 'Queue.Arn' }, /Fn::GetAtt cannot be applied/],
  [{ 'Fn::Join': [',', { Ref: 'List' }] }, /Fn::Join cannot be applied/],
  [sub('#{Queue}'), /Fn::Sub cannot be applied/],
  [sub('#{!AWS::Region}'), /Fn::Sub cannot be applied/],
])('refuses %j', (value, message) => {
  expect(() => resolve(value, scope)).toThrow(message);
});
