import { createHmac } from 'node:crypto';
import { type ApiKey, revealKey } from './api-key.ts';

/**
 * Equal for equal keys at the same address. It says nothing of the key to anyone without the secret, so short keys
 * cannot be found by trying either.
 *
 * @param address Where the key is sent: another API may have an equal key.
 * @param secret Text that nobody else knows.
 * @returns 43 characters of base64url (HMAC-SHA-256, RFC 2104).
 */
export function fingerprintOf(key: ApiKey, address: string, secret: string): string {
  return createHmac('sha256', secret)
    .update(`${address} ${revealKey(key)}`)
    .digest('base64url');
}
