import { randomUUID } from 'node:crypto';
import { hashOf } from '../../template/generated-name.ts';
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

export interface SecretStore {
  /** By name or ARN. */
  find(nameOrArn: string): Secret | undefined;
  /** All secrets in the order they were made. */
  all(): readonly Secret[];
  /** Makes a secret, or gives it another current version. */
  put(name: string, text: string, versionId?: string): Secret;
  remove(name: string): void;
  /** Sets the value of these tags, and keeps the others. */
  tag(secret: Secret, tags: readonly (readonly [key: string, value: string])[]): void;
}

/** @param currentMoved Called when `AWSCURRENT` moved to a new version. */
export function createSecretStore(
  place: AccountPlace,
  currentMoved: (secret: Secret) => void,
): SecretStore {
  const secrets = new Map<string, Secret>();
  return {
    find: (nameOrArn) =>
      secrets.get(nameOrArn) ?? [...secrets.values()].find(({ arn }) => arn === nameOrArn),
    all: () => [...secrets.values()],
    put(name, text, versionId = randomUUID()) {
      const before = secrets.get(name);
      const changedMs = Date.now();
      const made = { arn: secretArn(name, place), name, createdMs: changedMs, tags: new Map() };
      const secret: Secret = { ...(before ?? made), versionId, text, changedMs };
      secrets.set(name, secret);
      currentMoved(secret);
      return secret;
    },
    remove: (name) => {
      secrets.delete(name);
    },
    tag: (secret, tags) => {
      secrets.set(secret.name, { ...secret, tags: new Map([...secret.tags, ...tags]) });
    },
  };
}

/** Secrets Manager ends every ARN with a hyphen and six characters. */
export function secretArn(name: string, { region, accountId }: AccountPlace): string {
  return `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${hashOf(name).slice(0, 6)}`;
}
