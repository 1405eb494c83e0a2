import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
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

const ROWS = /^\| `kind` \|.*\n\|---.*\n((?:\|.*\n)+)/m;

test('docs/your-own-functions.md tells every kind of outcome of a client', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/your-own-functions.md'), 'utf8');
  const rows = ROWS.exec(page)?.[1]?.trim().split('\n') ?? [];
  const told = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, kind]) => kind),
  );

  expect(told.toSorted()).toEqual(Object.keys(KINDS).toSorted());
});
