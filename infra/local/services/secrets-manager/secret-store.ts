import { hash, randomUUID } from 'node:crypto';
import type { AccountPlace } from '../../template/place.ts';

/** A secret with its current version; older ones are not kept. */
export interface Secret {
  readonly arn: string;
  readonly name: string;
  readonly createdMs: number;
  readonly tags: ReadonlyMap<string, string>;
  readonly versionId: string;
  readonly text: string;
  readonly changedMs: number;
}

export type SecretStore = ReturnType<typeof createSecretStore>;

/** @param currentMoved Called when `AWSCURRENT` moved to a new version. */
export function createSecretStore(place: AccountPlace, currentMoved: (secret: Secret) => void) {
  const secrets = new Map<string, Secret>();
  return {
    /** By name or ARN. */
    find: (nameOrArn: string): Secret | undefined =>
      secrets.get(nameOrArn) ?? [...secrets.values()].find(({ arn }) => arn === nameOrArn),
    /** All secrets in the order they were made. */
    all: (): readonly Secret[] => [...secrets.values()],
    /** Makes a secret, or gives it another current version. */
    put(name: string, text: string, versionId: string = randomUUID()): Secret {
      const before = secrets.get(name);
      const changedMs = Date.now();
      const made = { arn: secretArn(name, place), name, createdMs: changedMs, tags: new Map() };
      const secret: Secret = { ...(before ?? made), versionId, text, changedMs };
      secrets.set(name, secret);
      currentMoved(secret);
      return secret;
    },
    remove(name: string): void {
      secrets.delete(name);
    },
    /** Sets the value of these tags, and keeps the others. */
    tag(secret: Secret, tags: readonly (readonly [key: string, value: string])[]): void {
      secrets.set(secret.name, { ...secret, tags: new Map([...secret.tags, ...tags]) });
    },
  };
}

/** Secrets Manager ends every ARN with a hyphen and six characters. */
export function secretArn(name: string, { region, accountId }: AccountPlace): string {
  return `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${hash('sha256', name).slice(0, 6)}`;
}
