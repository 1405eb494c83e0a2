import type { StoredVersion } from './organization.ts';
import type { Gate } from './ports.ts';

/**
 * Whether a version of the secret may not be sent, since its key failed authentication: it is named, or no newer than
 * one that is not. One whose time is not known may be older.
 */
export function isHalted(
  { keyVersion, createdAtMs = 0 }: StoredVersion,
  { haltedKeyVersions, haltedUntilMs = -1 }: Pick<Gate, 'haltedKeyVersions' | 'haltedUntilMs'>,
): boolean {
  return haltedKeyVersions.includes(keyVersion) || createdAtMs <= haltedUntilMs;
}
