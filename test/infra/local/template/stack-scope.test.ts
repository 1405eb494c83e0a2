import { expect, test } from '@jest/globals';
import { StackScope } from '../../../../infra/local/template/stack-scope.ts';
import { place, templateOf } from './sample-template.ts';

const queue = (Properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties });

test('names the logical id and the type of a resource it does not know', () => {
  const template = templateOf({ Mail: { Type: 'AWS::SES::Template' } });
  expect(() => new StackScope(template, place)).toThrow(
    /^Mail \(AWS::SES::Template\): .*does not know/,
  );
});

test('refuses what stands under a condition, but for what nothing is made of', () => {
  const under = (Type: string) => templateOf({ It: { Type, Condition: 'Sometimes' } });
  expect(() => new StackScope(under('AWS::SQS::Queue'), place)).toThrow(
    /^It \(AWS::SQS::Queue\): a resource under a condition/,
  );
  expect(new StackScope(under('AWS::CDK::Metadata'), place).order).toEqual([]);
  const Outputs = { Said: { Value: 'x', Condition: 'Sometimes' } };
  expect(() => templateOf({}, { Outputs })).toThrow(/under a condition/);
});

test('orders resources after the ones they refer to', () => {
  const template = templateOf({
    First: queue({ RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Third', 'Arn'] } } }),
    Second: { ...queue(), DependsOn: 'First' },
    Third: queue({ Tags: [{ Ref: 'Fourth' }] }),
    Fourth: queue(),
  });
  expect(new StackScope(template, place).order).toEqual(['Fourth', 'Third', 'First', 'Second']);
});

test('refuses a circular dependency and names the circle', () => {
  const template = templateOf({
    A: queue({ Tags: [{ 'Fn::GetAtt': ['B', 'Arn'] }] }),
    B: queue({ Tags: [{ Ref: 'A' }] }),
  });
  expect(() => new StackScope(template, place)).toThrow(/A -> B -> A/);
});

test('gives the names and ARNs that AWS would give', () => {
  const template = templateOf({
    Queue: queue(),
    Store: { Type: 'AWS::S3::Bucket' },
    Role: { Type: 'AWS::IAM::Role' },
    Rule: { Type: 'AWS::Events::Rule', Properties: { EventBusName: 'mine' } },
  });
  const scope = new StackScope(template, place);
  expect(scope.identityOf('Queue')).toMatchObject({
    ref: 'http://127.0.0.1:1/111122223333/Sample-Queue',
    arn: 'arn:aws:sqs:eu-west-1:111122223333:Sample-Queue',
  });
  expect(scope.identityOf('Store').name).toBe('sample-store');
  expect(scope.identityOf('Role').attributes['Arn']).toBe(
    'arn:aws:iam::111122223333:role/Sample-Role',
  );
  expect(scope.identityOf('Rule')).toMatchObject({
    ref: 'mine|Sample-Rule',
    arn: 'arn:aws:events:eu-west-1:111122223333:rule/mine/Sample-Rule',
  });
});

test('shortens a generated name that is too long and keeps it distinct', () => {
  const long = (end: string) => `${'L'.repeat(90)}${end}`;
  const scope = new StackScope(templateOf({ [long('a')]: queue(), [long('b')]: queue() }), place);
  const names = [long('a'), long('b')].map((id) => scope.identityOf(id).name);
  expect(names.map(({ length }) => length)).toEqual([80, 80]);
  expect(new Set(names).size).toBe(2);
});

test('names an attribute and a reference that lead nowhere', () => {
  const outputs = (Value: object) => templateOf({ Queue: queue() }, { Outputs: { O: { Value } } });
  const outputsOf = (value: object) => () => new StackScope(outputs(value), place).outputs();
  expect(outputsOf({ 'Fn::GetAtt': ['Queue', 'Colour'] })).toThrow(/Queue .*attribute Colour/);
  expect(outputsOf({ 'Fn::GetAtt': ['Gone', 'Arn'] })).toThrow(/Gone is referred to/);
  expect(outputsOf({ Ref: 'BootstrapVersion' })).toThrow(/BootstrapVersion is referred to/);
  expect(outputsOf({ Ref: 'AWS::Moon' })).toThrow(/pseudo parameter AWS::Moon/);
});

test('refuses a template with a macro', () => {
  expect(() => templateOf({}, { Transform: 'AWS::Serverless-2016-10-31' })).toThrow(/Transform/);
});

test.each<[string | undefined, boolean, boolean]>([
  [undefined, false, false],
  ['Delete', false, false],
  ['Retain', true, true],
  ['RetainExceptOnCreate', true, false],
])(
  'with the deletion policy %s a resource stays as CloudFormation says',
  (policy, deleted, rolledBack) => {
    const Resources = { Queue: { ...queue(), ...(policy && { DeletionPolicy: policy }) } };
    const scope = new StackScope(templateOf(Resources), place);
    expect(scope.stays('Queue', 'deleted')).toBe(deleted);
    expect(scope.stays('Queue', 'rolled back')).toBe(rolledBack);
  },
);
