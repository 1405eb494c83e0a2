import { expect, test } from '@jest/globals';
import { errorName, SettingError } from '../../lib/errors.ts';

test('names the setting, and quotes no more of a value than a person reads', () => {
  expect(new SettingError('perPage', 'expected a number').message).toBe(
    'perPage: expected a number',
  );
  const { message, setting } = new SettingError('perPage', `got ${'x'.repeat(100_000)}`);
  expect(message).toBe(`perPage: got ${'x'.repeat(1_987)}…`);
  expect(setting).toBe('perPage');
});

test('names the same problem at another place', () => {
  const error = new SettingError('perPage', 'expected a: number').at('lists.invoices.perPage');

  expect(error).toMatchObject({
    setting: 'lists.invoices.perPage',
    problem: 'expected a: number',
    message: 'lists.invoices.perPage: expected a: number',
  });
});

test.each([
  [new TypeError('what'), 'TypeError'],
  [{ name: Object.create(null) }, 'object'],
  [Object.defineProperty(new Error('what'), 'name', { get: () => JSON.parse('none') }), 'object'],
  ['what', 'string'],
  [undefined, 'undefined'],
])('names whatever was thrown, and never throws itself (%#)', (thrown, name) => {
  expect(errorName(thrown)).toBe(name);
});
