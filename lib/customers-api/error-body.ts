import { isJsonObject } from '../json/json-value.ts';

export const ERROR_MEMBERS: readonly string[] = [
  'success',
  'ok',
  'status',
  'message',
  'error',
  'errors',
  'code',
  'error_code',
  'type',
];
/** Of a list under these names the first element is read. */
export const ERROR_LISTS: readonly string[] = ['error', 'errors'];

/**
 * Whether the outline of a body reports an error whatever its status: the specification tells clients to check
 * both. Signs: a non-empty `error` or `errors`, `success` or `ok` that is false, a `status` that says so.
 */
export function isErrorBody(body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  if (body['success'] === false || body['ok'] === false) return true;
  return saysFailed(body) || isFilled(body['error']) || isFilled(body['errors']);
}

/** Whether the outline of a body may be a resource: that has an id, and may have errors of its own, as an import does. */
export function hasId(body: unknown): boolean {
  return isJsonObject(body) && body['id'] !== undefined;
}

/**
 * The error code that a body names, only if it is a short plain word: messages may hold customer data,
 * and a code is what a person can look up.
 */
export function apiCodeOf(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const errors = body['errors'];
  const nested = [body['error'], Array.isArray(errors) ? errors[0] : errors, body];
  const candidates = nested.flatMap((node) =>
    isJsonObject(node) ? [node['code'], node['error_code'], node['type'], node['error']] : [node],
  );
  return candidates
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .map(String)
    .find((code) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(code));
}

/** A resource may have a `status` of its own; only one with a message or a code speaks of the request. */
function saysFailed(body: Readonly<Record<string, unknown>>): boolean {
  const status = body['status'];
  const isFailure = typeof status === 'string' && /^(error|fail|failed|failure)$/i.test(status);
  return isFailure && (body['message'] !== undefined || body['code'] !== undefined);
}

function isFilled(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '' || value === 0)
    return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
