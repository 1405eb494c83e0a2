import { expect, test } from '@jest/globals';
import { propertiesOf, synthesizedStack } from '../../synthesized-stack.ts';

const settings = { baseUrl: 'https://api.example.com' };

test('describes completed exports of this integration alone, by a queue that keeps what fails', () => {
  const template = synthesizedStack(settings);

  template.hasResourceProperties('AWS::Events::Rule', {
    EventBusName: 'default',
    EventPattern: {
      account: [{ Ref: 'AWS::AccountId' }],
      source: ['customers-functions'],
      'detail-type': ['Export Completed'],
      detail: { integration: ['Stack'] },
    },
  });
  const description = 'Describes what the records of a completed export look like';
  template.hasResourceProperties('AWS::Lambda::Function', { Description: description });
  const mappings = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  expect(mappings.map(({ BatchSize }) => BatchSize)).toEqual([1, 1, 1]);
});

test('nothing of it is made when it is switched off, and tables must be too', () => {
  const template = synthesizedStack({ ...settings, describeExports: false, tables: false });
  const texts = JSON.stringify(template.toJSON());

  expect(texts).not.toContain('Descriptions');
  expect(() => synthesizedStack({ ...settings, describeExports: false })).toThrow(
    'tables: expected false, since describeExports is false',
  );
});

test('nothing of comparing is made when it is switched off, alone or with the descriptions', () => {
  const off = [{ compareExports: false }, { describeExports: false, tables: false }];
  for (const given of off) {
    const text = JSON.stringify(synthesizedStack({ ...settings, ...given }).toJSON());
    expect(text).not.toMatch(/CustomersChanges|CHANGE_QUEUE_URL|\/changes|ChangesHeld/);
  }
  const wrong = { ...settings, describeExports: false, tables: false, compareExports: true };
  expect(() => synthesizedStack(wrong)).toThrow(
    'compareExports: expected false or nothing, since describeExports is false',
  );
});
