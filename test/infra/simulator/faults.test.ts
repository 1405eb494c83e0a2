import { expect, test } from '@jest/globals';
import { type Fault, faultScriptOf, parseFaults } from '../../../infra/simulator/faults.ts';

test.each<[unknown, string]>([
  [{}, 'faults: expected a list'],
  [[{}], 'faults[0].fault: this setting is missing'],
  [
    [{ fault: { kind: 'silence' } }, { fault: { kind: 'status', status: '429' } }],
    'faults[1].fault.status: expected a number',
  ],
  [[{ fault: { kind: 'status', status: 1000 } }], 'faults[0].fault.status: expected <=599'],
  [[{ fault: { kind: 'delay' } }], 'faults[0].fault.ms: this setting is missing'],
  [
    [{ fault: { kind: 'silence' }, when: { page: 1.5 } }],
    'faults[0].when.page: expected a whole number',
  ],
  [
    [{ fault: { kind: 'silence' }, when: { pages: 1 } }],
    'faults[0].when.pages: there is no such setting',
  ],
  [
    [{ fault: { kind: 'status', status: 429, headers: { 'a b': '1' } } }],
    'faults[0].fault.headers.a b: expected ',
  ],
  [[{ fault: { kind: 'redirect', location: 'x\ny' } }], 'faults[0].fault.location: expected '],
  [[{ fault: { kind: 'silence' }, times: 0 }], 'faults[0].times: expected >=1'],
])('refuses %j and names the place', (script, message) => {
  expect(() => parseFaults(script)).toThrow(message);
});

test('an unknown kind is answered with the known ones', () => {
  expect(() => parseFaults([{ fault: { kind: 'fire' } }])).toThrow(
    /^faults\[0\]\.fault\.kind: expected .*"status".*"delay".*\)$/,
  );
});

const silence = { kind: 'silence' } as const;

function hits(faults: readonly Fault[], seed = 1): readonly number[] {
  const script = faultScriptOf(parseFaults(faults), seed);
  return Array.from({ length: 12 }, (_, index) => index + 1).filter((n) => {
    const subject = { method: n % 2 ? 'GET' : 'POST', page: n % 3, resource: 'customers' };
    return script({ n, organization: 'A', ...subject }) !== undefined;
  });
}

test.each<[string, Fault['when'], readonly number[]]>([
  ['a request', { request: 3 }, [3]],
  ['from', { from: 11 }, [11, 12]],
  ['from and to', { from: 3, to: 5 }, [3, 4, 5]],
  ['every', { every: 5 }, [5, 10]],
  ['a page', { page: 1 }, [1, 4, 7, 10]],
  ['a method and a page', { method: 'POST', page: 1 }, [4, 10]],
  ['a resource', { resource: 'invoices' }, []],
  ['an organization', { organization: 'A', to: 2 }, [1, 2]],
  ['certainty', { probability: 1, to: 2 }, [1, 2]],
  ['impossibility', { probability: 0 }, []],
])('hits by %s', (_, when, expected) => {
  expect(hits([{ when: when ?? {}, fault: silence }])).toEqual(expected);
});

test('hits every request without a condition, and stops after its times', () => {
  expect(hits([{ fault: silence }])).toHaveLength(12);
  expect(hits([{ when: { every: 2 }, times: 2, fault: silence }])).toEqual([2, 4]);
});

test('a probability draws the same requests from the same seed', () => {
  const faults = [{ when: { probability: 0.5 }, fault: silence }];

  expect(hits(faults)).toEqual(hits(faults));
  expect(hits(faults)).not.toEqual(hits(faults, 2));
});

test('the first line that matches wins; a used-up line gives way to the next', () => {
  const script = faultScriptOf(
    parseFaults([{ times: 1, fault: { kind: 'html' } }, { fault: { kind: 'json-null' } }]),
    1,
  );
  const subject = { n: 1, method: 'GET', page: 1, resource: 'customers', organization: 'A' };

  expect([script(subject)?.kind, script(subject)?.kind]).toEqual(['html', 'json-null']);
});
