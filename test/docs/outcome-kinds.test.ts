import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { CustomersClient } from '../../lib/customers-api/client.ts';
import type { RefusedReason, UnavailableReason } from '../../lib/customers-api/outcome.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { TypedClient } from '../../lib/gate/typed-client.ts';

type Outcome = Awaited<ReturnType<TypedClient[keyof TypedClient]>>;

/** Checked with the types: each outcome that a client may return, and no other. */
const KINDS: Readonly<Record<Outcome['kind'], true>> = {
  page: true,
  resource: true,
  done: true,
  blocked: true,
  halted: true,
  'no-key': true,
  'organization-unproven': true,
  throttled: true,
  'authentication-failure': true,
  unavailable: true,
  refused: true,
  unclear: true,
};

/** The same of what a program that is not deployed may meet: `docs/client.md` tells it. */
const OF_THE_CLIENT: Readonly<
  Record<
    | Awaited<ReturnType<CustomersClient['listPage' | 'read' | 'write']>>['kind']
    | RefusedReason
    | UnavailableReason
    | ErrorCode,
    true
  >
> = {
  page: true,
  resource: true,
  done: true,
  throttled: true,
  'authentication-failure': true,
  unavailable: true,
  refused: true,
  unclear: true,
  network: true,
  unreachable: true,
  timeout: true,
  aborted: true,
  'server-error': true,
  cut: true,
  'client-error': true,
  redirect: true,
  certificate: true,
  'error-body': true,
  'not-json': true,
  'items-missing': true,
  'items-ambiguous': true,
  'too-large': true,
  'too-complex': true,
  'key-echo': true,
  'key-in-request': true,
  'not-advancing': true,
  contradiction: true,
  INVALID_SETTING: true,
  INVALID_KEY: true,
  THROTTLED: true,
  AUTHENTICATION_FAILED: true,
  UNAVAILABLE: true,
  REFUSED: true,
};

const ROWS = /^\| `kind` \|.*\n\|---.*\n((?:\|.*\n)+)/m;

test('docs/your-own-functions.md tells every kind of outcome of a client', () => {
  const page = pageOf('your-own-functions.md');
  const rows = ROWS.exec(page)?.[1]?.trim().split('\n') ?? [];
  const told = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, kind]) => kind),
  );

  expect(told.toSorted()).toEqual(Object.keys(KINDS).toSorted());
});

test('docs/client.md tells every outcome, reason and code of an error', () => {
  const [, before = ''] = pageOf('client.md').split('\n## Outcomes\n');
  const [outcomes = '', errors = ''] =
    before.split('\n## What the API does not say')[0]?.split('\n## ') ?? [];
  const options = pageOf('client.md').split('\n## Methods\n')[0] ?? '';
  const said = [outcomes, errors, options].join('\n');

  expect(Object.keys(OF_THE_CLIENT).filter((name) => !said.includes(`\`${name}\``))).toEqual([]);
});

function pageOf(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
}
