import type { Refused } from '../lib/customers-api/outcome.ts';

/** How an API says itself that something is not there. */
export const NOT_FOUND = {
  kind: 'refused',
  reason: 'client-error',
  status: 404,
  hasErrorBody: true,
  message: 'Not found.',
} as const satisfies Refused;
