import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apiCodeOf, errorSign, isErrorBody } from '../../../lib/customers-api/error-body.ts';

test.each([
  [{ error: 'not_found' }],
  [{ error: { code: 7 } }],
  [{ error: { code: 7, message: '' } }],
  [{ error: { code: null, message: 'No.' } }],
  [{ error: { code: 0, message: 'Invalid key' } }],
  // Of an object none of whose members is read.
  [{ error: { '…': 0 } }],
  [{ error: { code: null } }],
  [{ error: { code: 0 } }],
  [{ error: { message: '' } }],
  [{ error: { type: 'backend_timeout', message: '' } }],
  [{ error: { status: 500, message: null } }],
  [{ error: { code: null, message: '', type: 'invalid' } }],
  [{ error: true }],
  [{ errors: [{ message: 'No.' }] }],
  [{ errors: 'No.' }],
  [{ success: false }],
  [{ ok: false }],
  [{ status: 'error', message: 'No.' }],
  [{ status: 'Failed', code: 'no' }],
  [{ status: 'error', message: '' }],
  [{ success: 0, message: 'No.' }],
  [{ success: 'false' }],
  [{ status: false, message: 'No.' }],
  [{ status: 500, message: 'No.' }],
  [{ status: '503', msg: 'No.' }],
  [{ code: 429, message: 'No.' }],
  [{ statusCode: 401, message: 'No.' }],
  [{ status_code: 401, detail: 'No.' }],
  [{ error_code: 'E12', error_message: 'No.' }],
  [{ errorCode: 12, message: 'No.' }],
  [{ errcode: 40_001, errmsg: 'No.' }],
  [{ error_message: 'No.' }],
  [{ result: 'error', message: 'No.' }],
  [{ Error: 'No.', Success: true }],
  [{ ERRORS: ['No.'] }],
  [{ Success: false }],
  [{ error: null, Error: 'No.' }],
  [{ meta: { code: 500, error: 'No.' } }],
  [{ meta: { code: 500, message: 'No.' } }],
  [{ status: { error_code: 1002, error_message: 'No.' } }],
  [{ errmsg: 'Not ok' }],
  [{ errmsg: 'Successor is missing' }],
  [{ error_code: 2_001, message: 'No.' }],
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
  [{ error: { code: 'ok', message: '' } }],
  [{ error: { code: 200, message: 'All is well' } }],
  [{ error: { code: 0, message: 'Success' } }],
  [{ error: { errorCode: 200 } }],
  [{ error: { code: null, message: null } }],
  [{ error: { status: false, message: '' } }],
  [{ error: { code: '', message: 'No error' } }],
  [{ error: 'No error' }],
  [{ error: false, errors: 0 }],
  [{ success: true, ok: true }],
  [{ success: 0, ok: null }],
  // A resource with a status of its own, as a payment has.
  [{ status: 'failed', id: 7 }],
  [{ status: 'ok', message: 'Fine.', code: 'fine' }],
  [{ status: 'ok' }],
  [{ status: 200, message: 'Fine.' }],
  [{ status: 500 }],
  [{ status: false }],
  [{ code: 0, message: 'success' }],
  [{ code: '0', msg: 'ok' }],
  [{ code: 4_040, message: 'Fine.' }],
  [{ errcode: 0, errmsg: 'ok' }],
  [{ error_code: '00000', error_message: 'All is well' }],
  [{ error_code: 0, error_message: null, message: 'Fine.' }],
  [{ errorCode: 200, message: 'Customer created' }],
  [{ errorCode: '201', errorMessage: 'Created' }],
  [{ errorMessage: 'No error' }],
  [{ error_message: 'no_errors' }],
  [{ errorCode: 'NO_ERROR', message: 'Fine.' }],
  [{ errorMessage: 'Successfully created' }],
  [{ errorMessage: 'Success.' }],
  [{ errMsg: 'request:ok' }],
  [{ meta: { errorCode: 200, message: 'Fine.' } }],
  [{ error: 'none', Error: 'false' }],
  [{ message: '' }],
  [{ message: 'Two customers.', total: 2 }],
  [{ code: 404, message: '' }],
  [{ meta: { code: 200, message: 'OK', total: 404 } }],
  [{ status: { error_code: 0, error_message: null } }],
  // Members of records are no signs.
  [{ data: { status: 404, message: 'No.' } }],
])('%j reports none', (body) => {
  expect(isErrorBody(body)).toBe(false);
});

test.each([
  [{ code: 429 }],
  [{ status: 404 }],
  [{ success: 0 }],
  [{ status: false }],
  [{ status: 'fail' }],
  [{ errorCode: 'E12' }],
  [{ meta: { code: 500 } }],
])('%j reports an error beside a list without records, and none beside others', (body) => {
  expect(isErrorBody(body, true)).toBe(true);
  expect(isErrorBody(body)).toBe(false);
});

test.each([
  [{ status: 'ok', code: 0, success: true }],
  [{ status: 200, message: 'No customers.' }],
  [{ message: 'There are none.', meta: { total: 0, code: 200 } }],
  [{ error: null, errors: [], error_code: null, total: 404 }],
])('%j beside a list without records reports none', (body) => {
  expect(isErrorBody(body, true)).toBe(false);
});

test.each([
  [{ error_code: 'S000', message: 'Created' }],
  [{ errorMessage: 'Look at the log.' }],
  [{ created: 1, success: 0, message: 'accepted' }],
  [{ meta: { error_code: 7, message: 'No.' } }],
])('%j is doubtful', (body) => {
  expect(errorSign(body)).toBe('doubtful');
});

test.each([
  [{ success: false, error_code: 7, message: 'No.' }],
  [{ error: 'No.', error_message: 'No.' }],
  [{ status: 'error', code: 7 }],
  [{ status: 404, message: 'No.' }],
  [{ error_code: 7, message: 'No.', meta: { error: 'No.' } }],
])('%j is certain', (body) => {
  expect(errorSign(body)).toBe('certain');
});

test('a sign counts however its name is written', () => {
  const names = fc
    .tuple(
      fc.constantFrom('success', 'ok', 'statuscode', 'errormessage', 'errors'),
      fc.array(fc.tuple(fc.boolean(), fc.constantFrom('', '', '_', '-'))),
    )
    .map(([word, how]) => ({
      word,
      name: [...word]
        .map((letter, at) => {
          const [isUpper = false, mark = ''] = how[at] ?? [];
          return mark + (isUpper ? letter.toUpperCase() : letter);
        })
        .join(''),
    }));
  const values = {
    success: false,
    ok: false,
    statuscode: 500,
    errormessage: 'No.',
    errors: ['No.'],
  };
  fc.assert(
    fc.property(names, ({ word, name }) => {
      const value = Object.entries(values).find(([each]) => each === word)?.[1];
      expect(isErrorBody({ [name]: value, message: 'No.' })).toBe(true);
    }),
  );
});

test.each([
  [{ error: { code: 'not_found', type: 'client' } }, 'not_found'],
  [{ error: { error_code: 404 } }, '404'],
  [{ error: { type: 'client' } }, 'client'],
  [{ error: 'rate.limited' }, 'rate.limited'],
  [{ errors: [{ code: 'first' }, { code: 'second' }] }, 'first'],
  [{ errors: { code: 'inner' } }, 'inner'],
  [{ code: 'outer' }, 'outer'],
  [{ Error_Code: 'E12' }, 'E12'],
  [{ statusCode: 401, message: 'No.' }, '401'],
  [{ status: 404, message: 'No.' }, '404'],
  [{ status: 'error', message: 'No.' }, undefined],
  [{ error: { code: 'inner' }, code: 'outer' }, 'inner'],
  [{ meta: { code: 404, message: 'none' } }, '404'],
  [{ status: { code: 404, message: 'none' } }, '404'],
  [{ code: 'outer', meta: { code: 'inner' } }, 'outer'],
  // It is no error's.
  [{ code: 200, meta: { code: 404 } }, '404'],
  [{ code: 0, status: 404 }, '404'],
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
