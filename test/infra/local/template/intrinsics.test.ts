import { expect, test } from '@jest/globals';
import { resolve, type TemplateScope } from '../../../../infra/local/template/intrinsics.ts';
import { stackScope } from '../../../../infra/local/template/stack-scope.ts';
import { place, templateOf } from './sample-template.ts';

const scope: TemplateScope = {
  ref: (name) => ({ Queue: 'url', List: ['a', 'b'] })[name] ?? `ref of ${name}`,
  getAttribute: (id, attribute) => `${attribute} of ${id}`,
  condition: (name) => name === 'Yes',
  findInMap: (...path) => path.join('/'),
};

/** CloudFormation's placeholders, kept apart from JavaScript's. */
const sub = (text: string) => text.replaceAll('#{', '${');

test.each<[unknown, unknown]>([
  ['plain', 'plain'],
  [{ Ref: 'Queue' }, 'url'],
  [{ 'Fn::GetAtt': ['Queue', 'Arn'] }, 'Arn of Queue'],
  [{ 'Fn::GetAtt': 'Queue.Nested.Arn' }, 'Nested.Arn of Queue'],
  [{ 'Fn::Join': ['-', ['a', { Ref: 'Queue' }, 3]] }, 'a-url-3'],
  [{ 'Fn::Join': [',', { Ref: 'List' }] }, 'a,b'],
  [{ 'Fn::Sub': sub('x #{Queue} #{Queue.Arn} #{!Literal}') }, sub('x url Arn of Queue #{Literal}')],
  [{ 'Fn::Sub': [sub('#{Mine}/#{Queue}'), { Mine: { 'Fn::Join': ['', ['m', 'e']] } }] }, 'me/url'],
  [{ 'Fn::Select': ['1', { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
  [{ 'Fn::If': ['Yes', 'then', 'else'] }, 'then'],
  [{ 'Fn::If': ['No', 'then', { Ref: 'Queue' }] }, 'url'],
  [{ 'Fn::Equals': [{ Ref: 'Queue' }, 'url'] }, true],
  [{ 'Fn::Not': [{ Condition: 'Yes' }] }, false],
  [{ 'Fn::And': [{ Condition: 'Yes' }, { Condition: 'No' }] }, false],
  [{ 'Fn::Or': [{ Condition: 'Yes' }, { Condition: 'No' }] }, true],
  [{ 'Fn::FindInMap': ['Map', { Ref: 'Queue' }, 'key'] }, 'Map/url/key'],
  [
    { a: [{ Ref: 'Queue' }], b: { c: null } },
    { a: ['url'], b: { c: null } },
  ],
])('resolves %j', (value, expected) => {
  expect(resolve(value, scope)).toEqual(expected);
});

test.each([
  [{ 'Fn::ImportValue': 'x' }, /does not know the function Fn::ImportValue/],
  [{ a: '{{resolve:ssm:/x}}' }, /cannot resolve \{\{resolve:ssm/],
  [{ 'Fn::Select': ['5', ['a']] }, /Fn::Select cannot be applied/],
])('refuses %j', (value, message) => {
  expect(() => resolve(value, scope)).toThrow(message);
});

test('leaves out what AWS::NoValue stands for, in objects and lists', () => {
  const Properties = {
    QueueName: { 'Fn::If': ['Never', 'named', { Ref: 'AWS::NoValue' }] },
    Tags: ['a', { Ref: 'AWS::NoValue' }],
  };
  const template = templateOf(
    { Queue: { Type: 'AWS::SQS::Queue', Properties } },
    { Conditions: { Never: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'nowhere'] } } },
  );
  expect(stackScope(template, place).propertiesOf('Queue')).toEqual({ Tags: ['a'] });
});
