import { expect, test } from '@jest/globals';
import { apiCodeOf, isErrorBody } from '../../../lib/customers-api/error-body.ts';

test.each([
  [{ error: 'not_found' }],
  [{ error: { code: 7 } }],
  [{ error: true }],
  [{ errors: [{ message: 'No.' }] }],
  [{ errors: 'No.' }],
  [{ success: false }],
  [{ ok: false }],
  [{ status: 'error', message: 'No.' }],
  [{ status: 'Failed', code: 'no' }],
])('%j reports an error', (body) => {
  expect(isErrorBody(body)).toBe(true);
});

test.each([
  [null],
  ['error'],
  [[{ error: 'x' }]],
  [{}],
  [{ error: null, errors: [] }],
  [{ error: '', errors: {} }],
  [{ error: false, errors: 0 }],
  [{ success: true, ok: true }],
  [{ success: 0, ok: null }],
  // A resource with a status of its own, as a payment has.
  [{ status: 'failed', id: 7 }],
  [{ status: 'ok', message: 'Fine.', code: 'fine' }],
  [{ status: 500, message: 'No.' }],
])('%j reports none', (body) => {
  expect(isErrorBody(body)).toBe(false);
});

test.each([
  [{ error: { code: 'not_found', type: 'client' } }, 'not_found'],
  [{ error: { error_code: 404 } }, '404'],
  [{ error: { type: 'client' } }, 'client'],
  [{ error: 'rate.limited' }, 'rate.limited'],
  [{ errors: [{ code: 'first' }, { code: 'second' }] }, 'first'],
  [{ errors: { code: 'inner' } }, 'inner'],
  [{ code: 'outer' }, 'outer'],
  [{ error: { code: 'inner' }, code: 'outer' }, 'inner'],
  [{ code: 'x'.repeat(64) }, 'x'.repeat(64)],
  // Anything longer, or with other characters, may be a message with a customer in it.
  [{ code: 'x'.repeat(65) }, undefined],
  [{ error: 'Jane Doe is not there' }, undefined],
  [{ error: 'jane@example.com' }, undefined],
  [{ error: { code: '' } }, undefined],
  [{ error: { code: null } }, undefined],
  ['not_found', undefined],
  [undefined, undefined],
])('the code in %j is %j', (body, code) => {
  expect(apiCodeOf(body)).toBe(code);
});
