import { expect, test } from '@jest/globals';
import { stackScope } from '../../../../infra/local/template/stack-scope.ts';
import { place, templateOf } from './sample-template.ts';

const queue = (Properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties });

test('names the logical id and the type of a resource it does not know', () => {
  const template = templateOf({ Mail: { Type: 'AWS::SES::Template' } });
  expect(() => stackScope(template, place)).toThrow(
    /^Mail \(AWS::SES::Template\): .*does not know/,
  );
});

test('leaves out resources of a false condition, also unknown ones', () => {
  const template = templateOf(
    { Mail: { Type: 'AWS::SES::Template', Condition: 'Never' }, Queue: queue() },
    { Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } } },
  );
  expect(stackScope(template, place).order).toEqual(['Queue']);
});

test('orders resources after the ones they refer to', () => {
  const template = templateOf({
    First: queue({ RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Third', 'Arn'] } } }),
    Second: { ...queue(), DependsOn: 'First' },
    Third: queue({ QueueName: { 'Fn::Sub': 'x-#{Fourth.QueueName}'.replace('#', '$') } }),
    Fourth: queue(),
  });
  expect(stackScope(template, place).order).toEqual(['Fourth', 'Third', 'First', 'Second']);
});

test('refuses a circular dependency and names the circle', () => {
  const template = templateOf({
    A: queue({ Tags: [{ 'Fn::GetAtt': ['B', 'Arn'] }] }),
    B: queue({ Tags: [{ Ref: 'A' }] }),
  });
  expect(() => stackScope(template, place)).toThrow(/A -> B -> A/);
});

test('gives the names and ARNs that AWS would give', () => {
  const template = templateOf({
    Queue: queue({ FifoQueue: true }),
    Store: { Type: 'AWS::S3::Bucket' },
    Role: { Type: 'AWS::IAM::Role' },
    Rule: { Type: 'AWS::Events::Rule', Properties: { EventBusName: 'mine' } },
  });
  const scope = stackScope(template, place);
  expect(scope.identityOf('Queue')).toMatchObject({
    ref: 'http://127.0.0.1:1/111122223333/Sample-Queue.fifo',
    arn: 'arn:aws:sqs:eu-west-1:111122223333:Sample-Queue.fifo',
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
  const scope = stackScope(templateOf({ [long('a')]: queue(), [long('b')]: queue() }), place);
  const names = [long('a'), long('b')].map((id) => scope.identityOf(id).name);
  expect(names.map(({ length }) => length)).toEqual([80, 80]);
  expect(new Set(names).size).toBe(2);
});

test('takes a parameter from the caller before its default, and names one without a value', () => {
  const outputs = { Outputs: { Said: { Value: { Ref: 'Word' } } } };
  const withDefault = templateOf(
    {},
    { Parameters: { Word: { Type: 'String', Default: 'hello' } }, ...outputs },
  );
  expect(stackScope(withDefault, place).outputs()).toEqual({ Said: 'hello' });
  expect(stackScope(withDefault, place, { Word: 'hi' }).outputs()).toEqual({ Said: 'hi' });
  const without = templateOf({}, { Parameters: { Word: { Type: 'String' } }, ...outputs });
  expect(() => stackScope(without, place).outputs()).toThrow(
    /Word is referred to, but has no value/,
  );
  expect(() => stackScope(without, place, { Wrod: 'x' })).toThrow(/no parameter Wrod/);
});

test('names an attribute and a reference that lead nowhere', () => {
  const outputs = (Value: object) => templateOf({ Queue: queue() }, { Outputs: { O: { Value } } });
  const outputsOf = (value: object) => () => stackScope(outputs(value), place).outputs();
  expect(outputsOf({ 'Fn::GetAtt': ['Queue', 'Colour'] })).toThrow(/Queue .*attribute Colour/);
  expect(outputsOf({ 'Fn::GetAtt': ['Gone', 'Arn'] })).toThrow(/Gone is referred to/);
  expect(outputsOf({ Ref: 'AWS::Moon' })).toThrow(/pseudo parameter AWS::Moon/);
});

test('refuses a template with a macro', () => {
  expect(() => templateOf({}, { Transform: 'AWS::Serverless-2016-10-31' })).toThrow(/Transform/);
});
